import fc from 'fast-check'
import type { Schema } from './operations.ts'

/** Existing values, by the name of the field or parameter that takes them. */
export type KnownValues = Record<string, string[]>

export const HUGE = 'x'.repeat(70_000)

/** Texts that often break software. */
const hostileTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'a\udc00b',
  '\u202e\u200b\ufeff',
  '\r\nset-cookie: session=x',
  '%',
  '%zz',
  "'; drop table users; --",
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '../../etc/passwd',
  '<script>',
  '\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}',
  'null',
  '-1',
  '1e999',
  '9223372036854775807',
  '18446744073709551616',
  '00000000-0000-4000-8000-000000000001',
  'a@b',
  'Ä@example.com',
  'https://app.example/cb#x',
  'javascript:alert(1)',
  'http://[::1',
  'ssh-ed25519 AAAA',
  'x'.repeat(300),
  HUGE,
]

const hostileNumbers = [
  0,
  -0,
  -1,
  1.5,
  1e-9,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  -(2 ** 53),
  2 ** 63,
  1e21,
  Number.MAX_VALUE,
  8.64e15,
  8.64e15 + 1,
]

const SURROGATES = { first: 0xd800, count: 0x800 }
/** Any code point that is not a surrogate, as `unit: 'binary'` does with a table of a million strings, which is slow. */
const codePoint = fc
  .nat(0x10ffff - SURROGATES.count)
  .map((at) => String.fromCodePoint(at < SURROGATES.first ? at : at + SURROGATES.count))

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(...hostileTexts), weight: 3 },
  { arbitrary: fc.string({ unit: codePoint, maxLength: 20 }), weight: 1 },
  { arbitrary: fc.string({ unit: 'grapheme', maxLength: 20 }), weight: 1 },
)

const nested = (depth: number, inArrays: boolean): unknown => {
  let value: unknown = 1
  for (let at = 0; at < depth; at++) value = inArrays ? [value] : { a: value }
  return value
}

/** Any JSON value. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { arbitrary: hostileText, weight: 4 },
  { arbitrary: fc.constantFrom(...hostileNumbers), weight: 3 },
  { arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [[]], [null]), weight: 3 },
  { arbitrary: fc.constantFrom(nested(31, true), nested(33, false), nested(5000, true)), weight: 1 },
  { arbitrary: fc.constantFrom(Array(300).fill('a'), Array(20_000).fill(0)), weight: 1 },
  { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 2 },
)

/** A value of the type that the schema declares, often one that exists. */
export function fromSchema(schema: Schema, name: string, known: KnownValues): fc.Arbitrary<unknown> {
  const options = schema.anyOf ?? schema.oneOf
  if (options) return fc.oneof(...options.map((each) => fromSchema(each, name, known)))
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const types = [schema.type ?? (schema.properties ? 'object' : 'string')].flat()
  return fc.oneof(...types.map((type) => ofType(type, schema, name, known)))
}

function ofType(type: string, schema: Schema, name: string, known: KnownValues): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
    case 'number': {
      const { minimum = 0, maximum = 2 ** 45 } = schema
      return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: maximum }))
    }
    case 'array':
      return fc.array(fromSchema(schema.items ?? {}, name, known), { maxLength: Math.min(3, schema.maxItems ?? 3) })
    case 'object': {
      const fields = Object.entries(schema.properties ?? {}).map(
        ([key, inner]) => [key, fromSchema(inner, key, known)] as const,
      )
      return fc.record(Object.fromEntries(fields), { requiredKeys: schema.required ?? [] })
    }
    default:
      return textFor(name, known)
  }
}

/** Mostly an existing value for this name, sometimes one for another name. */
export function textFor(name: string, known: KnownValues): fc.Arbitrary<string> {
  const own = known[name] ?? []
  return fc.oneof(
    { arbitrary: fc.constantFrom(...(own.length > 0 ? own : ['text'])), weight: 8 },
    { arbitrary: fc.constantFrom(...Object.values(known).flat()), weight: 1 },
    { arbitrary: fc.string({ unit: 'grapheme-ascii', maxLength: 30 }), weight: 1 },
  )
}

export type Mutation =
  | { kind: 'replace'; at: number; by: unknown }
  | { kind: 'remove'; at: number }
  | { kind: 'wrap'; at: number }
  | { kind: 'add'; key: string; value: unknown }

export const anyMutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constant('replace' as const), at: fc.nat(50), by: hostileValue }),
  fc.record({ kind: fc.constant('remove' as const), at: fc.nat(50) }),
  fc.record({ kind: fc.constant('wrap' as const), at: fc.nat(50) }),
  fc.record({ kind: fc.constant('add' as const), key: hostileText, value: hostileValue }),
)

/** Applies one mutation to a value. `at` counts over all fields, including nested ones. */
export function mutate(value: unknown, mutation: Mutation): unknown {
  if (mutation.kind === 'add') {
    return isRecord(value) ? Object.fromEntries([...Object.entries(value), [mutation.key, mutation.value]]) : value
  }
  const targets = pathsIn(value)
  if (targets.length === 0) return mutation.kind === 'replace' ? mutation.by : value
  const target = targets[mutation.at % targets.length] ?? []
  return change(value, target, mutation)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function pathsIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || path.length > 6) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const target = path.concat(key)
    return [target].concat(pathsIn(inner, target))
  })
}

function change(value: unknown, [key, ...rest]: string[], mutation: Exclude<Mutation, { kind: 'add' }>): unknown {
  if (typeof value !== 'object' || value === null || key === undefined) return value
  const entries = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    if (name !== key) return [[name, inner]]
    if (rest.length > 0) return [[name, change(inner, rest, mutation)]]
    if (mutation.kind === 'remove') return []
    return [[name, mutation.kind === 'wrap' ? [inner] : mutation.by]]
  })
  return Array.isArray(value) ? entries.map(([, inner]) => inner) : Object.fromEntries(entries)
}
