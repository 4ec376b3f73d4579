import type { ClientRequest, Entry, Question, Snippet } from './entry.ts'

/** The answers to the questions of an entry, by name. */
export type Answers = Record<string, string>

/** What Latchkey knows: its own address and, after the client is made, the client's credentials. */
export interface Issued {
  issuer: string
  clientId?: string
  clientSecret?: string
}

export interface Problem {
  /** The name of the question. */
  field: string
  message: string
}

export type FilledIn =
  | { client: ClientRequest; snippets: Snippet[]; problems?: never }
  | { client?: never; snippets?: never; problems: Problem[] }

/**
 * Only characters that mean nothing in any of the formats are let in, so a value can't end a quoted string or begin a new line.
 * Nothing has to be escaped, and what is pasted is what was typed.
 */
const PATTERNS: Record<Question['kind'], RegExp> = {
  address: /^https?:\/\/[A-Za-z0-9.\-[\]:]+(?:\/[A-Za-z0-9._~/-]*)?$/,
  scheme: /^[a-z][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){1,5}$/,
  word: /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/,
  group: /^[A-Za-z0-9](?:[A-Za-z0-9 ._-]{0,62}[A-Za-z0-9])?$/,
}
const RULES: Record<Question['kind'], string> = {
  address: 'must be a URL such as https://app.example.com, without a query or a user name',
  scheme: 'must be a reversed domain name such as com.example.app',
  word: 'may have letters, digits, dots, hyphens and underscores, 64 at most',
  group: 'may have letters, digits, spaces, dots, hyphens and underscores, 64 at most',
}
const MAX_ADDRESS = 500
const CREDENTIAL = /^[A-Za-z0-9_-]{1,200}$/

/** Answers the client to make at Latchkey, and the settings for the other side. Or which answers are wrong, and why. */
export function fillIn(entry: Entry, answers: Answers, issued: Issued): FilledIn {
  const { issuer, clientId = 'CLIENT_ID', clientSecret = 'CLIENT_SECRET' } = issued
  const problems = entry.questions.flatMap((question) => findProblem(question, answers[question.name]) ?? [])
  if (!isAddress(issuer)) problems.push({ field: 'issuer', message: `issuer ${RULES.address}.` })
  for (const [field, value] of Object.entries({ clientId, clientSecret })) {
    if (!CREDENTIAL.test(value)) problems.push({ field, message: `${field} may have letters, digits, - and _ only.` })
  }
  if (problems.length > 0) return { problems }

  const values = new Map<string, string>([
    ['issuer', withoutSlash(issuer)],
    ['client_id', clientId],
    ['client_secret', clientSecret],
    ['issuer_with_credentials', withoutSlash(issuer).replace('://', `://${clientId}:${clientSecret}@`)],
  ])
  for (const { name, kind } of entry.questions) {
    const answer = answers[name] ?? ''
    values.set(name, kind === 'address' ? withoutSlash(answer) : answer)
    if (name === 'address') values.set('host', new URL(answer).host)
  }
  const fill = (text: string) => replacePlaceholders(text, values)
  const { redirectUris, postLogoutRedirectUris, scopes, launchUrl, ...others } = entry.client
  const { backchannelLogoutUri, backchannelLogoutSessionRequired, ...rest } = others
  const logoutUri = backchannelLogoutUri === undefined ? undefined : fill(backchannelLogoutUri)
  const isTold = logoutUri !== undefined && canBeTold(logoutUri)
  return {
    client: {
      name: entry.name,
      ...rest,
      redirectUris: redirectUris.map(fill),
      scopes: scopes.map(fill),
      ...(postLogoutRedirectUris === undefined ? {} : { postLogoutRedirectUris: postLogoutRedirectUris.map(fill) }),
      ...(isTold ? { backchannelLogoutUri: logoutUri } : {}),
      ...(isTold && backchannelLogoutSessionRequired ? { backchannelLogoutSessionRequired } : {}),
      ...(launchUrl === undefined ? {} : { launchUrl: fill(launchUrl) }),
    },
    snippets: entry.snippets.map(({ title, format, text }) => ({ title: fill(title), format, text: fill(text) })),
  }
}

/** The examples of the questions, as answers. */
export const exampleAnswers = ({ questions }: Entry): Answers =>
  Object.fromEntries(questions.map(({ name, example }) => [name, example]))

/** A value that looks like a placeholder is not replaced again. */
const replacePlaceholders = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => values.get(name) ?? placeholder)

function findProblem({ name, kind, label }: Question, answer = ''): Problem | undefined {
  const isRight = kind === 'address' ? isAddress(answer) : PATTERNS[kind].test(answer)
  return isRight ? undefined : { field: name, message: `${label} ${RULES[kind]}.` }
}

const isAddress = (text: string): boolean =>
  text.length <= MAX_ADDRESS && PATTERNS.address.test(text) && URL.canParse(text) && isNormal(text)

/** A parser resolves `..` and drops the default port. The server compares exact strings, so neither may happen later. */
const isNormal = (text: string): boolean => new URL(text).href === (text.split('/').length > 3 ? text : `${text}/`)

/**
 * The service sends to https, and not into its own network unless whoever runs it allows that. Elsewhere the application is registered
 * without the address, which can be added then. To what a name leads shows when something is sent.
 */
const canBeTold = (url: string): boolean => {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' && !/^(?:[\d.]+|\[.*|(?:.*\.)?localhost)$/.test(hostname)
}

const withoutSlash = (address: string): string => address.replace(/\/+$/, '')
