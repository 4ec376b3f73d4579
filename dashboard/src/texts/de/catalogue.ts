import type { CatalogueTexts } from '../catalogue-texts.ts'
import { development } from './catalogue/development.ts'
import { infrastructure } from './catalogue/infrastructure.ts'
import { products } from './catalogue/products.ts'

/** `{name}` is the name of the application. */
export const catalogue: CatalogueTexts = {
  'Address of {name}': 'Adresse von {name}',
  '{name} asks once, at sign-in, and needs no refresh token.':
    '{name} fragt nur bei der Anmeldung und braucht kein Refresh-Token.',
  'Role whose members administer {name}': 'Rolle, die {name} verwaltet',
  'With a refresh token {name} notices when access has ended.':
    'Mit einem Refresh-Token merkt {name}, wenn der Zugang endet.',
  'PKCE is off unless code_challenge_method is set.': 'PKCE ist aus, solange code_challenge_method nicht gesetzt ist.',
  'In the virtual host': 'Im virtuellen Host',
  Environment: 'Umgebungsvariablen',
  'RS256 is what OpenID Connect libraries accept by default, and it has no setting for another one.':
    'OpenID-Connect-Bibliotheken nehmen ohne andere Angabe RS256 an, und eine Einstellung dafür fehlt.',
  'It signs nobody in. Its credentials are for introspection only, but a client has at least one grant type; without scopes, tokens of its own open nothing.':
    'Hier meldet sich niemand an. Die Zugangsdaten dienen nur zur Introspection, aber jeder Client hat mindestens eine Art, Token zu bekommen; ohne Scopes öffnen eigene Token nichts.',
  ...products,
  ...infrastructure,
  ...development,
}
