import type { CatalogueTexts } from '../../catalogue-texts.ts'

/** Libraries, and servers of APIs. */
export const development: CatalogueTexts = {
  'Address of the application': 'Adresse der Anwendung',
  'Address of the MCP server': 'Adresse des MCP-Servers',
  'The second is where Next.js has it.': 'Die zweite gilt für Next.js.',
  'The library takes what it knows of the user from the ID token.':
    'Die Bibliothek nimmt aus dem ID-Token, was sie über die Person weiß.',
  'Once backchannelLogout is set, the library takes logout tokens here.':
    'Wenn backchannelLogout gesetzt ist, nimmt die Bibliothek hier Logout-Token an.',
  'The library expects RS256 unless idTokenSigningAlg is set.':
    'Die Bibliothek erwartet RS256, solange idTokenSigningAlg nicht gesetzt ist.',
  'The hooks for backchannelLogout are in docs/telling-applications.md. With “true” instead, a session that had been ended comes back when its person signs in again.':
    'Die Funktionen für backchannelLogout stehen in docs/telling-applications.md. Mit „true“ stattdessen kommt eine beendete Sitzung wieder, wenn sich die Person neu anmeldet.',
  'Auth.js makes a session of its own, and uses no refresh token unless the application does it itself.':
    'Auth.js hat eine eigene Sitzung und benutzt kein Refresh-Token, solange die Anwendung es nicht selbst tut.',
  'A provider of type oidc is read from the ID token, and userinfo is not asked.':
    'Bei einem Anbieter der Art oidc wird das ID-Token gelesen und Userinfo nicht gefragt.',
  'next-auth 4 sends no PKCE unless its checks name it, and expects RS256 unless told otherwise.':
    'next-auth 4 schickt PKCE nur, wenn „checks“ es nennt, und erwartet ohne andere Angabe RS256.',
  'A session of Auth.js does not end with access here. Ask userinfo with the access token where that matters.':
    'Eine Sitzung von Auth.js endet nicht mit dem Zugang hier. Fragen Sie mit dem Zugriffstoken bei Userinfo, wo es darauf ankommt.',
  'Auth.js 5 (@auth/express and others)': 'Auth.js 5 (@auth/express und andere)',
  'Names and email addresses come from userinfo: oauth.latchkey.userinfo().':
    'Namen und E-Mail-Adressen kommen von Userinfo: oauth.latchkey.userinfo().',
  'Flask; Django, Starlette and FastAPI have the same function':
    'Flask; Django, Starlette und FastAPI haben dieselbe Funktion',
  'Version 5 expects RS256 unless told otherwise. Where it is inside another program that has no setting for it, set the client to RS256.':
    'Version 5 erwartet ohne andere Angabe RS256. Steckt sie in einem Programm ohne Einstellung dafür, stellen Sie hier RS256 ein.',
  'Add the scope offline_access and the refresh grant if the application refreshes.':
    'Fügen Sie den Scope offline_access und das Refresh-Token hinzu, wenn die Anwendung ihren Zugriff erneuert.',
  'First part of the path of the API': 'Erster Teil des Pfads der API',
  'Scope that the API checks': 'Scope, den die API prüft',
  'The Debian package is libapache2-mod-oauth2. With mod_auth_openidc beside it, people sign in on pages and programs bring tokens.':
    'Das Debian-Paket heißt libapache2-mod-oauth2. Mit mod_auth_openidc daneben melden sich Personen auf Seiten an, und Programme bringen Token mit.',
  'The module keeps every answer for 300 seconds unless expiry says otherwise: that long a revoked token still opens the API. With expiry=10 it is ten seconds.':
    'Das Modul behält jede Antwort 300 Sekunden lang, solange expiry nichts anderes sagt: So lange öffnet ein widerrufenes Token noch die API. Mit expiry=10 sind es zehn Sekunden.',
  'Without Require oauth2_claim every valid token opens the API, also one that was issued for another application.':
    'Ohne Require oauth2_claim öffnet jedes gültige Token die API, auch eines, das für eine andere Anwendung ausgestellt wurde.',
  'REMOTE_USER is the sub. The claims are in environment variables, OAUTH2_CLAIM_ and their names.':
    'REMOTE_USER ist der sub. Die Angaben stehen in Umgebungsvariablen, OAUTH2_CLAIM_ und ihr Name.',
  'HAProxy 2.6 or later. Its own functions for tokens (jwt_verify) are for signed ones; those of Latchkey are opaque, so it asks.':
    'Ab HAProxy 2.6. Seine eigenen Funktionen für Token (jwt_verify) sind für signierte; die von Latchkey sind es nicht, darum fragt es nach.',
  'It asks for each request and keeps nothing: a revoked token is refused at the next request.':
    'Es fragt bei jeder Anfrage und behält nichts: Ein widerrufenes Token wird bei der nächsten Anfrage abgewiesen.',
  'Connection and Upgrade are removed, so WebSockets do not pass.':
    'Connection und Upgrade werden entfernt, WebSockets kommen also nicht durch.',
  'The API gets the sub in X-Token-Subject, which no client can set. Let nobody reach the API but HAProxy.':
    'Die API bekommt den sub in X-Token-Subject, den kein Aufrufer setzen kann. Lassen Sie nur HAProxy an die API.',
  'st.user is what is in the ID token; userinfo is not asked.':
    'st.user ist, was im ID-Token steht; Userinfo wird nicht gefragt.',
  'In the application': 'In der Anwendung',
  'Install streamlit[auth]. Current versions send PKCE by themselves; earlier ones need code_challenge_method.':
    'Installieren Sie streamlit[auth]. Aktuelle Versionen schicken PKCE von selbst; frühere brauchen code_challenge_method.',
  'Streamlit asks people to choose their account each time. Add prompt = "" to client_kwargs to leave that out.':
    'Streamlit lässt jedes Mal das Konto wählen. Mit prompt = "" in client_kwargs entfällt das.',
  'The cookie of Streamlit is valid for 30 days, whether or not somebody still has access here. Where that matters, expose the access token (expose_tokens) and ask userinfo with it.':
    'Das Cookie von Streamlit gilt 30 Tage, auch wenn jemand hier keinen Zugang mehr hat. Wo es darauf ankommt, geben Sie das Zugriffstoken frei (expose_tokens) und fragen damit bei Userinfo.',
  'The server keeps the tokens of its users and renews them.':
    'Der Server behält die Token seiner Personen und erneuert sie.',
  'The server': 'Der Server',
  'MCP clients register themselves, which Latchkey does not offer. FastMCP does it for them, and is one client here.':
    'MCP-Clients registrieren sich selbst, was Latchkey nicht anbietet. FastMCP übernimmt das für sie und ist hier ein einziger Client.',
  'The access tokens of Latchkey are opaque. Without token_verifier FastMCP expects signed ones and refuses them.':
    'Die Zugriffstokens von Latchkey sind nicht signiert. Ohne token_verifier erwartet FastMCP signierte und lehnt sie ab.',
  'FastMCP introspects for each request, so access ends at once. cache_ttl_seconds would let a revoked token live on for that time.':
    'FastMCP fragt bei jeder Anfrage nach, darum endet der Zugang sofort. Mit cache_ttl_seconds gälte ein widerrufenes Token so lange weiter.',
}
