import type { CatalogueTexts } from '../../catalogue-texts.ts'

/** What runs or protects other services. */
export const infrastructure: CatalogueTexts = {
  'PKCE is off unless enablePKCEAuthentication is true.':
    'PKCE ist aus, solange enablePKCEAuthentication nicht gesetzt ist.',
  'Cloudflare asks at sign-in, and needs no refresh token.':
    'Cloudflare fragt nur bei der Anmeldung und braucht kein Refresh-Token.',
  'Role whose members administer the cluster': 'Rolle, die den Cluster verwaltet',
  'Address of the site': 'Adresse der Website',
  'Role whose members may open the site': 'Rolle, die die Website öffnen darf',
  'PKCE is off unless OIDCPKCEMethod is set.': 'PKCE ist aus, solange OIDCPKCEMethod nicht gesetzt ist.',
  '{name} asks at sign-in, and needs no refresh token.':
    '{name} fragt nur bei der Anmeldung und braucht kein Refresh-Token.',
  'The second is used by the command line, argocd login --sso.':
    'Die zweite benutzt die Befehlszeile, argocd login --sso.',
  'Argo CD takes the ID token as its session, and reads the groups from it.':
    'Argo CD nimmt das ID-Token als Sitzung und liest die Gruppen daraus.',
  'A session of Argo CD is the ID token: it is good for an hour, also after access was taken away.':
    'Eine Sitzung von Argo CD ist das ID-Token: Es gilt eine Stunde, auch wenn der Zugang entzogen wurde.',
  'The secret': 'Das Geheimnis',
  'Team name at Cloudflare': 'Name des Teams bei Cloudflare',
  'Cloudflare reads the email address and other claims from the ID token.':
    'Cloudflare liest die E-Mail-Adresse und anderes aus dem ID-Token.',
  'PKCE is off unless it is switched on.': 'PKCE ist aus, solange man es nicht einschaltet.',
  'Cloudflare accepts ES256.': 'Cloudflare nimmt ES256 an.',
  'kubelogin runs on the computers of users, so it can keep no secret. PKCE protects it.':
    'kubelogin läuft auf den Rechnern der Leute und kann kein Geheimnis aufbewahren. PKCE schützt es.',
  'The second is used when something else listens on port 8000.':
    'Die zweite wird benutzt, wenn Port 8000 schon belegt ist.',
  'kube-apiserver verifies the ID token by itself and never asks userinfo.':
    'kube-apiserver prüft das ID-Token selbst und fragt nie bei Userinfo.',
  'The flags accept only RS256 unless oidc-signing-algs names ES256; the configuration file accepts both.':
    'Mit Optionen gilt nur RS256, solange oidc-signing-algs nicht ES256 nennt; mit der Konfigurationsdatei gelten beide.',
  'kube-apiserver refuses an email address that is not confirmed.':
    'kube-apiserver lehnt unbestätigte E-Mail-Adressen ab.',
  'An ID token is good for an hour, also after a role was taken away; the refresh that follows is refused.':
    'Ein ID-Token gilt eine Stunde, auch wenn eine Rolle entzogen wurde; das Erneuern danach wird abgewiesen.',
  'kube-apiserver needs an issuer with https.': 'kube-apiserver braucht einen Issuer mit https.',
  'AuthenticationConfiguration of kube-apiserver (--authentication-config)':
    'AuthenticationConfiguration von kube-apiserver (--authentication-config)',
  'Or the flags of kube-apiserver': 'Oder als Optionen von kube-apiserver',
  'On the computers of users': 'Auf den Rechnern der Leute',
  'Let a role administer the cluster': 'Eine Rolle den Cluster verwalten lassen',
  'The module asks userinfo again, and signs in anew when it is refused.':
    'Das Modul fragt wieder bei Userinfo und meldet neu an, wenn es abgewiesen wird.',
  'The redirect URL is one that nothing else serves.': 'Unter der Rücksprungadresse darf sonst nichts zu finden sein.',
  'form_post keeps the code out of the logs of the server. It needs OIDCCookieSameSite Off; leave both out to use a query.':
    'Mit form_post steht der Code nicht in den Protokollen des Servers. Es braucht OIDCCookieSameSite Off; lassen Sie beides weg, um die Adresszeile zu benutzen.',
  'oauth2-proxy reads the email address and the groups from the ID token.':
    'oauth2-proxy liest E-Mail-Adresse und Gruppen aus dem ID-Token.',
  'It refuses email addresses that are not confirmed.': 'Er lehnt unbestätigte E-Mail-Adressen ab.',
  'Portainer is redirected to its own address.': 'Portainer hat seine eigene Adresse als Rücksprungadresse.',
  'Portainer’s published source exchanges the code without a PKCE verifier, and its settings name neither PKCE nor a nonce: a version that sends neither is refused, also with optional PKCE. The refusals of the client show what it sent.':
    'Portainer löst den Code laut Quelltext ohne PKCE ein, und seine Einstellungen nennen weder PKCE noch eine Nonce: Eine Version, die beides nicht schickt, wird abgewiesen, auch wenn PKCE freigestellt ist. Die Diagnose der Anwendung zeigt, was geschickt wurde.',
  'Proxmox VE sends the address in the browser as the redirect URL. Add that of every node that people open.':
    'Proxmox VE schickt die Adresse im Browser als Rücksprungadresse. Fügen Sie die jedes Knotens hinzu, der geöffnet wird.',
  'Groups get the name of the realm as a suffix, and must exist unless groups-autocreate is set.':
    'An Gruppen wird der Name des Realms angehängt; es muss sie geben, solange groups-autocreate nicht gesetzt ist.',
  'On one node of the cluster': 'Auf einem Knoten des Clusters',
  'Domain of your email addresses': 'Domain Ihrer E-Mail-Adressen',
  'Tailscale does not say that it sends PKCE, and others report that it sends none.':
    'Tailscale sagt nicht, dass es PKCE schickt, und andere berichten, dass es keines schickt.',
  'Tailscale finds the issuer by WebFinger at the domain of your email addresses, which must serve the file above.':
    'Tailscale findet den Issuer per WebFinger unter der Domain Ihrer E-Mail-Adressen; dort muss die Datei oben liegen.',
  'It accepts ES256 and RSA.': 'Es nimmt ES256 und RSA an.',
  'A request without PKCE needs a nonce here. If Tailscale sends neither, it is refused; the refusals of the client show it.':
    'Eine Anfrage ohne PKCE braucht hier eine Nonce. Schickt Tailscale beides nicht, wird es abgewiesen; die Diagnose der Anwendung zeigt es.',
  'Whether Tailscale sends PKCE or a nonce.': 'Ob Tailscale PKCE oder eine Nonce schickt.',
  'The address of the command line, which the source that was read does not name.':
    'Die Adresse des Kommandozeilenprogramms: Die gelesene Quelle nennt sie nicht.',
  'With a refresh token Argo CD can renew its session before the ID token expires.':
    'Mit einem Refresh-Token kann Argo CD seine Sitzung erneuern, bevor das ID-Token abläuft.',
  'Version 2.4.12 shows a page about OIDCDefaultURL when a sign-in is refused. The refusals of the client show the reason.':
    'Version 2.4.12 zeigt eine Seite über OIDCDefaultURL, wenn eine Anmeldung abgewiesen wird. Den Grund zeigt die Diagnose der Anwendung.',
  'Within OIDCUserInfoRefreshInterval seconds it notices that access has ended, also where no logout token arrives.':
    'Innerhalb von OIDCUserInfoRefreshInterval Sekunden merkt es, dass der Zugang geendet hat, auch wenn kein Logout-Token ankommt.',
  'Logout tokens end sessions that are kept on the server, which is the default of OIDCSessionType.':
    'Logout-Token beenden Sitzungen, die auf dem Server liegen; so ist OIDCSessionType voreingestellt.',
  'It finds sessions by sid when ID tokens have one.': 'Es findet Sitzungen über sid, wenn im ID-Token eines steht.',
  'That Proxmox VE sends PKCE, without which it is refused, and that it expects RS256. Its documentation says neither.':
    'Dass Proxmox VE PKCE schickt, ohne das es abgewiesen wird, und dass es RS256 erwartet. Die Dokumentation sagt beides nicht.',
}
