import fc from 'fast-check'
import type { Operation } from './operations.ts'
import { fromSchema, anyMutation, HUGE, type KnownValues, hostileValue, mutate } from './values.ts'

/** The bytes of a body, and its Content-Type. */
export interface Body {
  type: string | undefined
  bytes: Buffer
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Mostly the type of body that the contract declares, valid or mutated; sometimes another type, or binary data. */
export function bodyOf(operation: Operation, known: KnownValues): fc.Arbitrary<Body | undefined> {
  const schema = operation.body?.schema ?? {}
  const valid = operation.body ? fromSchema(schema, '', known) : fc.constant({})
  const mutated = fc
    .tuple(valid, fc.array(anyMutation, { maxLength: 2 }))
    .map(([value, mutations]) => mutations.reduce<unknown>(mutate, value))
  const value = fc.oneof(
    { arbitrary: valid, weight: 5 },
    { arbitrary: mutated, weight: 5 },
    { arbitrary: hostileValue, weight: 1 },
  )
  const form = value.chain((each) => encodedForm(each))
  const json = fc.tuple(value, jsonDamage).map(([each, damage]) => damage(Buffer.from(toJson(each))))
  const declared: fc.Arbitrary<Body> =
    operation.body?.type === FORM_TYPE
      ? fc.record({ type: fc.constant<string | undefined>(FORM_TYPE), bytes: form })
      : fc.record({ type: fc.constant<string | undefined>(JSON_TYPE), bytes: json })
  const other = fc.record({ type: mediaType, bytes: fc.oneof(json, form, raw, multipart) })
  const upload = fc.record({
    type: fc.constantFrom(`multipart/form-data; boundary=${BOUNDARY}`, 'multipart/form-data', 'multipart/mixed'),
    bytes: multipart,
  })
  const takesUpload = operation.method === 'PUT'
  return fc.oneof(
    { arbitrary: declared, weight: operation.body ? 16 : 1 },
    { arbitrary: upload, weight: takesUpload ? 16 : 1 },
    { arbitrary: other, weight: 2 },
    { arbitrary: fc.constant(undefined), weight: operation.body ? 1 : 8 },
  )
}

/** JSON.stringify keeps an own property named `__proto__`, such as JSON.parse creates. */
const toJson = (value: unknown): string => JSON.stringify(value) ?? 'null'

type Damage = (json: Buffer) => Buffer
const editText =
  (edit: (text: string) => string): Damage =>
  (json) =>
    Buffer.from(edit(json.toString()))

/** Nearly always no damage, because nothing inside a body that can't be parsed is tested. */
const jsonDamage: fc.Arbitrary<Damage> = fc.oneof(
  { arbitrary: fc.constant<Damage>((json) => json), weight: 20 },
  {
    arbitrary: fc.constantFrom<Damage>(
      (json) => json.subarray(0, Math.floor(json.length / 2)),
      (json) => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), json]),
      (json) => Buffer.concat([json, Buffer.from([0xff, 0xfe])]),
      (json) => Buffer.from(json.toString(), 'utf16le'),
      () => Buffer.alloc(0),
      () => Buffer.from('null'),
      () => Buffer.from('"text"'),
      () => Buffer.from(`{"a":${'['.repeat(50_000)}`),
      () => Buffer.from(`{"a":"${HUGE.repeat(5)}"}`),
      editText((text) => text.replace('{', '{"__proto__":{"admin":true},')),
      editText((text) => text.replace('{', '{"constructor":{"prototype":{"admin":true}},')),
      editText((text) => text.replace(/^\{("[^"]*":)/, '{$1null,$1')),
      editText((text) => text.replaceAll('"', '"\\ud800')),
      editText((text) => text.replaceAll('"', "'")),
    ),
    weight: 3,
  },
)

/** A form as a browser encodes it, or a malformed variant. */
function encodedForm(value: unknown): fc.Arbitrary<Buffer> {
  const entries = Object.entries((typeof value === 'object' ? value : {}) ?? {})
  const pairs = entries.map(([key, inner]) => [key, typeof inner === 'string' ? inner : toJson(inner)])
  const text = new URLSearchParams(pairs).toString()
  return fc.oneof(
    { arbitrary: fc.constant(Buffer.from(text)), weight: 10 },
    {
      arbitrary: fc.constantFrom(
        Buffer.from(`${text}&${text}`),
        Buffer.from(text.replaceAll('=', '=%')),
        Buffer.from(text.replaceAll('=', '=%ff%00')),
        Buffer.concat([Buffer.from(`${text}&a=`), Buffer.from([0xff, 0xc0, 0x80])]),
        Buffer.from(`${text}&${'a&'.repeat(20_000)}`),
        Buffer.from('='),
        Buffer.alloc(0),
      ),
      weight: 3,
    },
  )
}

const raw = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))

const BOUNDARY = 'fuzz'
const part = (headers: string, content: Buffer | string, end = `\r\n--${BOUNDARY}--\r\n`): Buffer =>
  Buffer.concat([Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\n`), Buffer.from(content), Buffer.from(end)])

const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const FILE = 'content-disposition: form-data; name="file"; filename="a.png"'

const multipart: fc.Arbitrary<Buffer> = fc.constantFrom(
  part(FILE, PICTURE),
  part(FILE, PICTURE.subarray(0, 40)),
  part(FILE, ''),
  part(FILE, '<svg xmlns="http://www.w3.org/2000/svg"/>'),
  part(FILE, 'GIF89a'),
  part(FILE, PICTURE, ''),
  part(`${FILE}\r\ncontent-transfer-encoding: base64`, PICTURE),
  part('content-disposition: form-data; name="file"', 'a field'),
  part('content-disposition: form-data', 'no name'),
  part('content-disposition: form-data; name="__proto__"', 'x'),
  part(`x: ${'y'.repeat(70_000)}`, 'z'),
  Buffer.concat([part(FILE, PICTURE, '\r\n'), part(FILE, PICTURE)]),
  Buffer.from(`--${BOUNDARY}--\r\n`),
  Buffer.from('no multipart at all'),
)

const mediaType: fc.Arbitrary<string | undefined> = fc.constantFrom(
  JSON_TYPE,
  `${JSON_TYPE}; charset=utf-16`,
  `${JSON_TYPE};charset="`,
  'application/problem+json',
  FORM_TYPE,
  `${FORM_TYPE}; charset=x`,
  'text/plain',
  'text/html',
  'multipart/form-data',
  `multipart/form-data; boundary=${BOUNDARY}`,
  'application/octet-stream',
  'a',
  '/',
  'application/json, text/plain',
  '\u00ff',
  undefined,
)
