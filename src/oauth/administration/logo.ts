import { skipEscalationCheck } from '../../identity/roles/checked-trx.ts'
import type { SignedInActor } from '../../identity/sessions/actor.ts'
import { clientOwner } from '../../platform/pictures/picture-store.ts'
import { type Picture, deletePicture, loadPicture, replacePicture } from '../../platform/pictures/replace-picture.ts'
import type { Services } from '../../platform/services.ts'
import { refuseBuiltIn } from '../clients/built-in-client.ts'
import { findLogoVersion, lockClient, readClient, updateClientRow } from '../clients/client-store.ts'
import { type Client, refuseUnknownClient } from '../clients/client.ts'
import { type ClientChanges, changeClient } from './change-client.ts'

type LogoServices = ClientChanges & Pick<Services, 'blobs'>

export const loadLogo = (services: Pick<Services, 'db' | 'blobs'>, clientId: string): Promise<Picture | undefined> =>
  loadPicture(services, clientOwner(clientId), () => findLogoVersion(services.db.read, clientId))

export async function replaceLogo(
  services: LogoServices,
  clientId: string,
  upload: Buffer,
  actor: SignedInActor,
): Promise<Client> {
  // Before anything is stored under this id, which may be any text.
  if (!(await readClient(services.db.read, clientId))) refuseUnknownClient()
  await replacePicture(services, clientOwner(clientId), upload, (version) =>
    changeVersion(services, clientId, version, actor),
  )
  return (await readClient(services.db.read, clientId)) ?? refuseUnknownClient()
}

export async function removeLogo(services: LogoServices, clientId: string, actor: SignedInActor): Promise<void> {
  const before = await changeVersion(services, clientId, null, actor)
  if (before !== null) await deletePicture(services, clientOwner(clientId), before)
}

/** Returns the version before. */
const changeVersion = (
  services: LogoServices,
  clientId: string,
  version: string | null,
  actor: SignedInActor,
): Promise<string | null> =>
  changeClient(services, clientId, actor, async (trx, record) => {
    if (!(await lockClient(trx, clientId, 'exclusive'))) refuseUnknownClient()
    refuseBuiltIn(clientId)
    const before = (await findLogoVersion(trx, clientId)) ?? null
    await updateClientRow(skipEscalationCheck(trx), clientId, { logo_version: version })
    await record('oauth_client.updated', { logo: version !== null })
    return before
  })
