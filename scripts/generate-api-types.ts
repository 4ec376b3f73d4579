// Writes the dashboard's API types from docs/openapi.json, in the shape that openapi-fetch reads. Git ignores the file: whatever needs the
// types makes them first (`npm run check`, `npm run dev`, `npm run openapi`).
// openapi-typescript would do the same, but it uses the compiler API of TypeScript 5, which TypeScript 7 no longer has.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

type Schema = {
  $ref?: string
  type?: string | string[]
  nullable?: boolean
  enum?: unknown[]
  'x-extensible-enum'?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  description?: string
}
type Content = Record<string, { schema?: Schema }>
type Parameter = { name: string; in: string; required?: boolean; schema?: Schema }
type Operation = {
  summary?: string
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Content }
  responses?: Record<string, { content?: Content }>
}
type Document = { paths: Record<string, Record<string, Operation>>; components?: { schemas?: Record<string, Schema> } }

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const TARGET = 'dashboard/src/api/schema.ts'

const PLAIN: Record<string, string> = {
  string: 'string',
  integer: 'number',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
}

/** References to lists of words that other versions of the service may have added to. */
const openLists = new Set<string>()

const quoted = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))
const object = (members: string[]) => (members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`)
const union = (members: string[]) => [...new Set(members)].join(' | ')

function typeOf(schema: Schema | undefined): string {
  if (!schema) return 'unknown'
  const type = bareTypeOf(schema)
  return schema.nullable ? union([type, 'null']) : type
}

function bareTypeOf(schema: Schema): string {
  if (schema.$ref && openLists.has(schema.$ref)) return 'string'
  if (schema.$ref) return `components['schemas'][${JSON.stringify(schema.$ref.split('/').pop())}]`
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)))
  if (schema['x-extensible-enum']) return 'string'
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return `(${union(choices.map(typeOf))})`
  if (schema.allOf) return `(${schema.allOf.map(typeOf).join(' & ')})`
  if (Array.isArray(schema.type)) return `(${union(schema.type.map((type) => bareTypeOf({ ...schema, type })))})`
  if (schema.type === 'array') return `(${typeOf(schema.items)})[]`
  if (schema.type === 'object' || schema.properties) return objectTypeOf(schema)
  return PLAIN[schema.type ?? ''] ?? 'unknown'
}

function objectTypeOf({ properties, patternProperties, additionalProperties, required = [] }: Schema): string {
  if (properties && Object.keys(properties).length > 0) {
    return object(
      Object.entries(properties).map(([name, schema]) => {
        const note = schema.description ? `/** ${schema.description.replaceAll('*/', '* /')} */ ` : ''
        return `${note}${quoted(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`
      }),
    )
  }
  const rest = Object.values(patternProperties ?? {})[0] ?? additionalProperties
  if (rest === false) return 'Record<string, never>'
  return `Record<string, ${typeof rest === 'object' ? typeOf(rest) : 'unknown'}>`
}

const contentOf = (content: Content | undefined) =>
  content ? object(Object.entries(content).map(([type, { schema }]) => `${quoted(type)}: ${typeOf(schema)}`)) : 'never'

function parametersOf(parameters: Parameter[]): string {
  const members = ['query', 'header', 'path', 'cookie'].map((location) => {
    const matching = parameters.filter((parameter) => parameter.in === location)
    if (matching.length === 0) return `${location}?: never`
    const optional = matching.every((parameter) => !parameter.required) ? '?' : ''
    return `${location}${optional}: ${object(matching.map((it) => `${quoted(it.name)}${it.required ? '' : '?'}: ${typeOf(it.schema)}`))}`
  })
  return object(members)
}

function operationOf({ summary, parameters = [], requestBody, responses = {} }: Operation): string {
  const body = requestBody
    ? `requestBody${requestBody.required ? '' : '?'}: { content: ${contentOf(requestBody.content)} }`
    : 'requestBody?: never'
  const answers = Object.entries(responses).map(
    ([status, { content }]) =>
      `${/^\d+$/.test(status) ? status : quoted(status)}: { headers: Record<string, unknown>; content${content ? '' : '?'}: ${contentOf(content)} }`,
  )
  const note = summary ? `/** ${summary} */ ` : ''
  return `${note}{ parameters: ${parametersOf(parameters)}; ${body}; responses: ${object(answers)} }`
}

function declare({ paths, components }: Document): string {
  for (const [name, schema] of Object.entries(components?.schemas ?? {})) {
    if (schema['x-extensible-enum']) openLists.add(`#/components/schemas/${name}`)
  }
  const entries = Object.entries(paths)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, operations]) => {
      const members = METHODS.map((method) => {
        const operation = operations[method]
        return operation ? `${method}: ${operationOf(operation)}` : `${method}?: never`
      })
      return `${JSON.stringify(path)}: { parameters: ${parametersOf([])}; ${members.join('; ')} }`
    })
  const schemas = Object.entries(components?.schemas ?? {}).map(([name, schema]) => {
    const known = schema['x-extensible-enum']
    const note = known
      ? '/** The known ones. In answers the type is string, because another version may send others. */ '
      : ''
    return `${note}${quoted(name)}: ${typeOf(known ? { enum: known } : schema)}`
  })
  return [
    '// Generated from docs/openapi.json by scripts/generate-api-types.ts.',
    `export type paths = { ${entries.join('\n')} }`,
    `export type components = { schemas: ${object(schemas)} }`,
    '',
  ].join('\n\n')
}

const SOURCE = 'docs/openapi.json'

/** Leaves a file that is right as it is, so that nothing that watches it begins anew. */
export function generateApiTypes(): void {
  const declared = declare(JSON.parse(readFileSync(SOURCE, 'utf8')) as Document)
  if (!existsSync(TARGET) || readFileSync(TARGET, 'utf8') !== declared) writeFileSync(TARGET, declared)
}

if (import.meta.main) generateApiTypes()
