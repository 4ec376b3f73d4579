// The pages of docs/applications, from the catalogue. docs/applications/matrix.md is written by `npm run test:third-party`.
import { CATALOGUE } from '../catalogue/catalogue.ts'
import { type ClientRequest, type Entry, FAMILIES, type Family } from '../catalogue/entry.ts'
import { exampleAnswers, fillIn } from '../catalogue/fill-in.ts'
import { clients } from '../dashboard/src/texts/en/admin/clients.ts'
import { applications } from '../dashboard/src/texts/en/applications.ts'

const FOLDER = 'docs/applications'
const ISSUER = 'https://id.example.com'
/** In the order of the dashboard, and with its names, so that a reader finds the field that is meant. */
const FIELDS: [keyof Omit<ClientRequest, 'name'>, string][] = [
  ['clientType', clients.type],
  ['redirectUris', clients.redirectUris],
  ['postLogoutRedirectUris', clients.postLogoutRedirectUris],
  ['scopes', clients.scopes],
  ['grantTypes', applications.signIn.grantTypes],
  ['idTokenClaims', applications.claims.idToken],
  ['introspectionClaims', applications.claims.introspection],
  ['id_token_signed_response_alg', applications.claims.algorithm],
  ['pkce', 'PKCE'],
  ['backchannelLogoutUri', applications.signOut.logoutUri],
  ['backchannelLogoutSessionRequired', applications.signOut.sessionRequired],
  ['sessionExpiry', 'ID tokens say when the session ends'],
  ['refreshTokens', 'Refresh tokens'],
  ['launchUrl', applications.appearance.launchUrl],
]

const fileOf = (family: Family): string => `${family.toLowerCase().replaceAll(' ', '-')}.md`
/** The anchor of a heading, as GitHub generates it. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9\s_-]/g, '')
    .replaceAll(/\s/g, '-')
const code = (value: string): string => `\`${value.replaceAll('|', '\\|')}\``

/** The pages by file name. */
export function describeApplications(): Record<string, string> {
  const pages: [string, string][] = FAMILIES.map((family) => [`${FOLDER}/${fileOf(family)}`, describeFamily(family)])
  return Object.fromEntries([[`${FOLDER}/README.md`, describeIndex()], ...pages])
}

function describeIndex(): string {
  const rows = CATALOGUE.map(({ name, family, client, limits, tried }) => {
    const particular = [
      client.idTokenClaims === 'full' ? 'full claims in ID tokens' : '',
      client.id_token_signed_response_alg === 'RS256' ? 'RS256' : '',
      client.pkce === 'optional' ? 'optional PKCE' : '',
      limits === undefined ? '' : 'not every version',
    ].filter(Boolean)
    const isTold = client.backchannelLogoutUri === undefined ? '' : 'yes'
    return `| [${name}](${fileOf(family)}#${anchorOf(name)}) | ${family} | ${particular.join(', ')} | ${isTold} | ${describeTrial(tried).inShort} |`
  })
  return `# Applications

Settings for applications that people connect to Latchkey: what to register here, and what to paste there. This page and
those that it links to are generated from \`catalogue/\`.

What an application needs beyond the defaults is in the third column. [matrix.md](matrix.md) says which ones the tests run, and what
they showed. For anything else, see [Integrating an application](../integrating-an-application.md). How long programs of each kind accept
a token that was revoked is in [APIs and other resource servers](../resource-servers.md). An application that takes logout tokens ends its
sessions within a second after access has ended: [Telling applications that access has ended](../telling-applications.md). Where it has an
address of a private network, \`OUTGOING_ALLOW\` has to name that, and an address with http has to be set by hand.

| Application | Area | Needs | Takes logout tokens | How its settings are known |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`
}

function describeFamily(family: Family): string {
  const entries = CATALOGUE.filter((entry) => entry.family === family)
  return `# ${family}

Replace \`${ISSUER}\` with the address of your Latchkey, and \`CLIENT_ID\` and \`CLIENT_SECRET\` with what it shows when you register the
application. The names of settings are those of the dashboard (Administration, ${clients.title}, "${clients.create}"). This page is generated from \`catalogue/\`; [other applications](README.md).

${entries.map(describeEntry).join('\n')}`
}

function describeEntry(entry: Entry): string {
  const filled = fillIn(entry, exampleAnswers(entry), { issuer: ISSUER })
  if (filled.problems) throw new Error(`${entry.id}: ${JSON.stringify(filled.problems)}`)
  const snippets = filled.snippets.map(
    ({ title, format, text }) =>
      `${title.startsWith('https:') ? code(title) : title}:\n\n\`\`\`${format === 'form' ? 'text' : format}\n${text}\n\`\`\`\n`,
  )
  const paragraphs = [
    `## ${entry.name}\n`,
    entry.limits === undefined ? '' : `**Not every version.** ${entry.limits}\n`,
    ...(entry.family === 'Generic' ? describeForm(entry, filled.client) : describeSettings(entry, filled.client)),
    ...snippets,
    entry.notes.map((note) => `- ${note}\n`).join(''),
    entry.unconfirmed === undefined ? '' : `Not confirmed: ${entry.unconfirmed}\n`,
    `Source: <${entry.source}>, looked up on ${entry.lookedUpOn}. ${describeTrial(entry.tried).sentence}\n`,
  ]
  return paragraphs.filter(Boolean).join('\n')
}

/** What the dashboard asks for an application that it knows, and what it registers then. */
function describeSettings(entry: Entry, client: ClientRequest): string[] {
  const rows = FIELDS.flatMap(([field, label]) => {
    const values = valuesOf(client, field)
    return values.length === 0 ? [] : `| ${label} | ${values.join('<br>')} | ${entry.why[field] ?? ''} |`
  })
  const examples = entry.questions.map(({ label, example }) => `- ${label}: ${code(example)}`)
  return [
    examples.length === 0 ? '' : `Examples below, to be replaced with yours:\n\n${examples.join('\n')}\n`,
    `At Latchkey:\n\n| Setting | Value | Why |\n| --- | --- | --- |\n${rows.join('\n')}\n`,
  ]
}

/** The form of the dashboard for an application that it does not know. e2e/application-catalogue.spec.ts compares the two. */
function describeForm(entry: Entry, client: ClientRequest): string[] {
  const { label: askedFor, known, others } = applications.scopes
  const isForPeople = client.grantTypes.includes('authorization_code')
  const isKnown = (scope: string): scope is keyof typeof known => scope in known
  const rows: [string, string][] = [
    [clients.name, clients.nameHint],
    [clients.operator, clients.operatorHint],
    ...(isForPeople
      ? ([
          [clients.redirectUris, client.redirectUris.map(code).join('<br>')],
          [
            clients.postLogoutRedirectUris,
            client.postLogoutRedirectUris?.map(code).join('<br>') ?? clients.postLogoutRedirectUrisHint,
          ],
          [
            askedFor,
            client.scopes
              .filter(isKnown)
              .map((scope) => known[scope].title)
              .join('<br>'),
          ],
          [others, applications.scopes.othersHint],
          [applications.access.who, `${applications.access.everybody}, or: ${applications.access.roles}`],
        ] satisfies [string, string][])
      : ([[clients.scopes, client.scopes.map(code).join(' ')]] satisfies [string, string][])),
  ]
  const fixed = FIELDS.filter(([field]) => field === 'clientType' || field === 'grantTypes').map(
    ([field, label]) =>
      `- ${[`${label}: ${valuesOf(client, field).join('. ')}.`, entry.why[field]].filter(Boolean).join(' ')}`,
  )
  const { tabs, appearance } = applications
  return [
    `In the form "${applications.create.titleOf(entry.name)}" of the dashboard:\n\n| Field | Value |\n| --- | --- |\n${rows
      .map((row) => `| ${row.join(' | ')} |`)
      .join('\n')}\n`,
    entry.why.redirectUris === undefined ? '' : `${entry.why.redirectUris}\n`,
    `The form sets the rest:\n\n${fixed.join('\n')}\n`,
    client.launchUrl === undefined
      ? ''
      : `To have it on the start page of its users, enter ${code(client.launchUrl)} as "${appearance.launchUrl}" under "${tabs.appearance}" afterwards.\n`,
  ]
}

/** The values of a setting in the words of the dashboard, with those of the API where they differ. */
function valuesOf(client: ClientRequest, field: keyof Omit<ClientRequest, 'name'>): string[] {
  if (field === 'clientType') return [`${clients.types[client.clientType]} (${code(client.clientType)})`]
  if (field === 'grantTypes') return client.grantTypes.map((grant) => applications.signIn.grants[grant])
  const { idTokenClaims, pkce } = client
  if (field === 'idTokenClaims' && idTokenClaims !== undefined) {
    return [`${applications.claims.idTokenClaims[idTokenClaims]} (${code(idTokenClaims)})`]
  }
  if (field === 'pkce' && pkce !== undefined) return [applications.signIn.pkce[pkce]]
  const value = client[field] ?? []
  if (typeof value === 'boolean') return value ? ['yes'] : []
  return [value].flat().map(code)
}

const SETTINGS_WERE = {
  'tried by hand': 'A whole sign-in with these settings was tried by hand.',
  'from its source': 'Its settings were read from its source.',
  'from its documentation': 'Its settings were compared with its documentation.',
}

/** How the settings of an application are known, for the index and for its page. */
function describeTrial(tried: Entry['tried']): { inShort: string; sentence: string } {
  if ('test' in tried)
    return { inShort: 'run by a test', sentence: `Run by ${tried.test.split(' and ').map(code).join(' and ')}.` }
  const { not, settings } = tried
  return { inShort: settings, sentence: `Not run by a test: ${not} ${SETTINGS_WERE[settings]}` }
}
