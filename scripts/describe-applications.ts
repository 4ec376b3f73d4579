// The pages of docs/applications, from the catalogue. docs/applications/matrix.md is written by `npm run test:third-party`.
import { CATALOGUE } from '../catalogue/catalogue.ts'
import { type ClientRequest, type Entry, FAMILIES, type Family } from '../catalogue/entry.ts'
import { exampleAnswers, fillIn } from '../catalogue/fill-in.ts'

const FOLDER = 'docs/applications'
const ISSUER = 'https://id.example.com'
/** In the order of the form for a new application. */
const FIELDS: [keyof Omit<ClientRequest, 'name'>, string][] = [
  ['clientType', 'Kind'],
  ['redirectUris', 'Redirect URLs'],
  ['postLogoutRedirectUris', 'Post-logout URLs'],
  ['scopes', 'Scopes'],
  ['grantTypes', 'Grant types'],
  ['idTokenClaims', 'Claims in ID tokens'],
  ['id_token_signed_response_alg', 'Algorithm of ID tokens'],
  ['pkce', 'PKCE'],
  ['launchUrl', 'Start page'],
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
    const run = 'test' in tried ? 'run by a test' : 'from its documentation'
    return `| [${name}](${fileOf(family)}#${anchorOf(name)}) | ${family} | ${particular.join(', ')} | ${run} |`
  })
  return `# Applications

Settings for applications that people connect to Latchkey: what to register here, and what to paste there. This page and
those that it links to are generated from \`catalogue/\`.

What an application needs beyond the defaults is in the third column. [matrix.md](matrix.md) says which ones the tests run, and what
they showed. For anything else, see [Integrating an application](../integrating-an-application.md).

| Application | Area | Needs | How its settings are known |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

function describeFamily(family: Family): string {
  const entries = CATALOGUE.filter((entry) => entry.family === family)
  return `# ${family}

Replace \`${ISSUER}\` with the address of your Latchkey, and \`CLIENT_ID\` and \`CLIENT_SECRET\` with what it shows when you add the
application. This page is generated from \`catalogue/\`; [other applications](README.md).

${entries.map(describeEntry).join('\n')}`
}

function describeEntry(entry: Entry): string {
  const filled = fillIn(entry, exampleAnswers(entry), { issuer: ISSUER })
  if (filled.problems) throw new Error(`${entry.id}: ${JSON.stringify(filled.problems)}`)
  const rows = FIELDS.flatMap(([field, label]) => {
    const value = filled.client[field]
    if (value === undefined || value.length === 0) return []
    return `| ${label} | ${[value].flat().map(code).join('<br>')} | ${entry.why[field] ?? ''} |`
  })
  const examples = entry.questions.map(({ label, example }) => `- ${label}: ${code(example)}`)
  const snippets = filled.snippets.map(
    ({ title, format, text }) =>
      `${title.startsWith('https:') ? code(title) : title}:\n\n\`\`\`${format === 'form' ? 'text' : format}\n${text}\n\`\`\`\n`,
  )
  const paragraphs = [
    `## ${entry.name}\n`,
    entry.limits === undefined ? '' : `**Not every version.** ${entry.limits}\n`,
    examples.length === 0 ? '' : `Examples below, to be replaced with yours:\n\n${examples.join('\n')}\n`,
    `At Latchkey:\n\n| Setting | Value | Why |\n| --- | --- | --- |\n${rows.join('\n')}\n`,
    ...snippets,
    entry.notes.map((note) => `- ${note}\n`).join(''),
    entry.unconfirmed === undefined ? '' : `Not confirmed: ${entry.unconfirmed}\n`,
    `Source: <${entry.source}>, looked up on ${entry.lookedUpOn}. ${describeTrial(entry.tried)}\n`,
  ]
  return paragraphs.filter(Boolean).join('\n')
}

const describeTrial = (tried: Entry['tried']): string =>
  'test' in tried ? `Run by ${tried.test.split(' and ').map(code).join(' and ')}.` : `Not run by a test: ${tried.not}`
