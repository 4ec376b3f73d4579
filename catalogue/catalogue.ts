import { actual } from './entries/actual.ts'
import { argoCd } from './entries/argo-cd.ts'
import { audiobookshelf } from './entries/audiobookshelf.ts'
import { authJs } from './entries/auth-js.ts'
import { authlib } from './entries/authlib.ts'
import { cloudflareAccess } from './entries/cloudflare-access.ts'
import { directus } from './entries/directus.ts'
import { dovecot } from './entries/dovecot.ts'
import { expressOpenidConnect } from './entries/express-openid-connect.ts'
import { fastmcp } from './entries/fastmcp.ts'
import { forgejo } from './entries/forgejo.ts'
import { gitea } from './entries/gitea.ts'
import { gitlab } from './entries/gitlab.ts'
import { grafana } from './entries/grafana.ts'
import { haproxy } from './entries/haproxy.ts'
import { homeAssistant } from './entries/home-assistant.ts'
import { immich } from './entries/immich.ts'
import { jellyfin } from './entries/jellyfin.ts'
import { kubernetes } from './entries/kubernetes.ts'
import { machine } from './entries/machine.ts'
import { mealie } from './entries/mealie.ts'
import { modAuthOpenidc } from './entries/mod-auth-openidc.ts'
import { modOauth2 } from './entries/mod-oauth2.ts'
import { nativeApplication } from './entries/native-application.ts'
import { nextcloud } from './entries/nextcloud.ts'
import { nodeRed } from './entries/node-red.ts'
import { oauth2Proxy } from './entries/oauth2-proxy.ts'
import { openWebui } from './entries/open-webui.ts'
import { openidClient } from './entries/openid-client.ts'
import { outline } from './entries/outline.ts'
import { paperlessNgx } from './entries/paperless-ngx.ts'
import { portainer } from './entries/portainer.ts'
import { proxmox } from './entries/proxmox.ts'
import { roundcube } from './entries/roundcube.ts'
import { singlePageApplication } from './entries/single-page-application.ts'
import { streamlit } from './entries/streamlit.ts'
import { tailscale } from './entries/tailscale.ts'
import { vaultwarden } from './entries/vaultwarden.ts'
import { webApplication } from './entries/web-application.ts'
import { type Entry, FAMILIES } from './entry.ts'

const ENTRIES: readonly Entry[] = [
  webApplication,
  singlePageApplication,
  nativeApplication,
  machine,
  actual,
  argoCd,
  audiobookshelf,
  authJs,
  authlib,
  cloudflareAccess,
  directus,
  dovecot,
  expressOpenidConnect,
  fastmcp,
  forgejo,
  gitea,
  gitlab,
  grafana,
  haproxy,
  homeAssistant,
  immich,
  jellyfin,
  kubernetes,
  mealie,
  modAuthOpenidc,
  modOauth2,
  nextcloud,
  nodeRed,
  oauth2Proxy,
  openidClient,
  openWebui,
  outline,
  paperlessNgx,
  portainer,
  proxmox,
  roundcube,
  streamlit,
  tailscale,
  vaultwarden,
]

/** By family, and within one in the order above. */
export const CATALOGUE: readonly Entry[] = FAMILIES.flatMap((family) =>
  ENTRIES.filter((entry) => entry.family === family),
)
