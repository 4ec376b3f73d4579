import fc from 'fast-check'
import { ORIGIN } from '../support/app.ts'
import { type Body, bodyOf } from './bodies.ts'
import type { Operation, Parameter } from './operations.ts'
import { fromSchema, HUGE, type KnownValues, hostileText, textFor } from './values.ts'

/** Who sends a request. The cookie is added when it is sent, because sessions end during a run. */
export const CALLERS = ['anonymous', 'person', 'administrator'] as const
export type RequestSource = (typeof CALLERS)[number]

export interface FuzzRequest {
  source: RequestSource
  url: string
  headers: Record<string, string>
  body: Body | undefined
}

export function requestTo(operation: Operation, known: KnownValues): fc.Arbitrary<FuzzRequest> {
  const inPath = operation.parameters.filter((each) => each.in === 'path')
  const inQuery = operation.parameters.filter((each) => each.in === 'query')
  return fc.record({
    source: fc.oneof(
      { arbitrary: fc.constant<RequestSource>('administrator'), weight: 7 },
      { arbitrary: fc.constant<RequestSource>('person'), weight: 3 },
      { arbitrary: fc.constant<RequestSource>('anonymous'), weight: 1 },
    ),
    url: fc
      .tuple(pathOf(operation.path, inPath, known), queryOf(inQuery, known))
      .map(([path, query]) => path + (query === '' ? '' : `?${query}`)),
    headers: headersOf(known),
    body: operation.method === 'GET' ? fc.constant(undefined) : bodyOf(operation, known),
  })
}

const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

/** None has a slash, which would make it the path of another route: only the parameter is tested. */
const rawSegments = [
  '%',
  '%zz',
  '%ff',
  '%00',
  '%c0%af',
  '%2e%2e%2f',
  '%ed%a0%80',
  '*',
  ':id',
  'a%0d%0ab',
  ';',
  '%20',
  '~',
]

function pathOf(path: string, parameters: Parameter[], known: KnownValues): fc.Arbitrary<string> {
  const segment = ({ name }: Parameter) =>
    fc.oneof(
      { arbitrary: textFor(idOf(path, name), known).map(encoded), weight: 10 },
      { arbitrary: hostileText.map((text) => encoded(text.slice(0, 2000)) || '%20'), weight: 3 },
      { arbitrary: fc.constantFrom(...rawSegments), weight: 2 },
    )
  return fc
    .tuple(...parameters.map(segment))
    .map((values) =>
      parameters.reduce((whole, { name }, index) => whole.replace(`{${name}}`, () => values[index] ?? ''), path),
    )
}

/** Many paths have a parameter named `id`; the segment before it tells which kind of id it is. */
const idOf = (path: string, name: string): string =>
  name === 'id' ? (new RegExp(String.raw`(\w+)/\{id\}`).exec(path)?.[1] ?? name) : name

function queryOf(parameters: Parameter[], known: KnownValues): fc.Arbitrary<string> {
  const pair = ({ name, schema }: Parameter) =>
    fc.oneof(
      { arbitrary: fc.constant(''), weight: 4 },
      {
        arbitrary: fromSchema(schema, name, known).map((value) => `${name}=${encoded(String(value))}`),
        weight: 10,
      },
      { arbitrary: hostileText.map((text) => `${name}=${encoded(text.slice(0, 5000))}`), weight: 2 },
      {
        arbitrary: fc.constantFrom(name, `${name}=%`, `${name}=%ff`, `${name}=1&${name}=2`, `${name}[]=1`),
        weight: 1,
      },
    )
  const more = fc.oneof(
    { arbitrary: fc.constant(''), weight: 12 },
    { arbitrary: fc.constantFrom('__proto__=1', 'unknown=1', '&&&', '=', '%', 'a[b][c]=1', '\u00ff=1'), weight: 1 },
    { arbitrary: hostileText.map((text) => `${encoded(text.slice(0, 200))}=1`), weight: 1 },
  )
  return fc.tuple(more, ...parameters.map(pair)).map((pairs) => pairs.filter((each) => each !== '').join('&'))
}

/** Header values are bytes: Node reads them as Latin-1, and lets neither line breaks nor NUL through. */
const headerText = fc.oneof(
  hostileText.map((text) => text.slice(0, 8000).replace(/[^\x20-\x7e\x80-\xff]/g, '\u00ff')),
  fc.constantFrom(HUGE.slice(0, 16_000), ',', ';', '=', '"', '\\', '\u00e4\u00f6'),
)

function headersOf(known: KnownValues): fc.Arbitrary<Record<string, string>> {
  const sometimes = (weight: number, value: fc.Arbitrary<string>) =>
    fc.oneof({ arbitrary: fc.constant(undefined), weight: 30 }, { arbitrary: value, weight })
  const pairOf = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const authorization = fc.oneof(
    textFor('access_token', known).map((token) => `Bearer ${latin(token)}`),
    fc.tuple(textFor('client_id', known), textFor('client_secret', known)).map(([id, secret]) => pairOf(id, secret)),
    fc.constantFrom('Basic', 'Basic %%%', 'Basic /w==', 'Bearer', 'Bearer a b', 'bearer x', 'Digest x', ''),
    headerText,
  )
  return fc
    .record({
      origin: fc.oneof(
        { arbitrary: fc.constant<string | undefined>(ORIGIN), weight: 12 },
        {
          arbitrary: fc.constantFrom(undefined, 'null', 'https://evil.example', `${ORIGIN}.evil.example`, '\u00ff'),
          weight: 2,
        },
      ),
      authorization: sometimes(4, authorization),
      cookie: sometimes(
        1,
        fc.oneof(
          headerText,
          headerText.map((text) => `session=${text}`),
        ),
      ),
      accept: sometimes(3, fc.constantFrom('application/json', 'text/html', '*/*', 'a/b;q=x', ',,,', '')),
      'x-forwarded-for': sometimes(1, fc.oneof(headerText, fc.constantFrom('1.2.3.4', '::1, 999.1.1.1', ',,'))),
      'x-forwarded-proto': sometimes(1, headerText),
      'x-forwarded-host': sometimes(1, headerText),
      forwarded: sometimes(1, headerText),
      host: sometimes(1, fc.constantFrom('evil.example', 'localhost:99999', '[::1', 'a b')),
      'user-agent': sometimes(1, headerText),
      'if-none-match': sometimes(1, fc.oneof(headerText, fc.constantFrom('*', '"a", W/"b"'))),
      'last-event-id': sometimes(1, textFor('notifications', known).map(latin)),
      'content-encoding': sometimes(1, fc.constantFrom('gzip', 'identity', 'br, gzip')),
      'access-control-request-method': sometimes(1, fc.constantFrom('PUT', 'X')),
    })
    .map((headers) =>
      Object.fromEntries(Object.entries(headers).filter((each): each is [string, string] => each[1] !== undefined)),
    )
}

const latin = (text: string): string => text.replace(/[^\x20-\x7e\x80-\xff]/g, '?')
