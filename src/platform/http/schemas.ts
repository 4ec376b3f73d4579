import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import fastJson from 'fast-json-stringify'
import type { FastifyInstance, FastifySchemaValidationError } from 'fastify'
import type { PlainIssueReason } from './validation-issues.ts'
import { addVisibleNames } from './visible-name.ts'

const options = {
  allErrors: true,
  strict: false,
  removeAdditional: false,
  useDefaults: true,
  strictNumbers: true,
} as const

/**
 * In a body nothing is coerced or dropped, and only names are trimmed. A URL holds text only, so there a number or a boolean
 * is read from its text.
 *
 * A schema is compiled when a request first needs it. Compiling all of them takes longer than everything else at the start.
 */
export function compileSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler<object>(({ schema, httpPart }) =>
    httpPart === 'body' ? validateWith(() => bodySchema(schema)) : validateWith(() => urlSchema(schema), findProblem),
  )
  // Errors are written in the format of their endpoint. Compiling a serializer for each status that each route may refuse with would take
  // most of the memory of the routes, for code that never runs.
  app.setSerializerCompiler(({ schema, httpStatus }) => {
    if (Number(httpStatus) >= 400 || isOpen(schema)) return JSON.stringify
    let serialize: ((data: unknown) => string) | undefined
    return (data) => (serialize ??= serializer(schema))(data)
  })
}

/** An object that may have further properties is written faster by the engine than by a compiled serializer. */
const isOpen = (schema: unknown): boolean =>
  typeof schema === 'object' &&
  schema !== null &&
  'additionalProperties' in schema &&
  schema.additionalProperties === true

const typed = new Ajv({ ...options, coerceTypes: false })
const textual = new Ajv({ ...options, coerceTypes: true })
for (const ajv of [typed, textual]) addFormats.default(ajv)
addVisibleNames(typed)

const bodySchema = onceForEachText((schema) => typed.compile(schema))
const urlSchema = onceForEachText((schema) => textual.compile(schema))
const serializer = onceForEachText((schema) => fastJson(schema as fastJson.Schema))

/** Many routes have equal schemas, which are compiled once. */
function onceForEachText<T>(compile: (schema: object) => T): (schema: unknown) => T {
  const compiled = new Map<string, T>()
  return (schema) => {
    const text = JSON.stringify(schema)
    const known = compiled.get(text)
    if (known !== undefined) return known
    const made = compile(schema as object)
    compiled.set(text, made)
    return made
  }
}

type Problem = FastifySchemaValidationError

/** The validator that Fastify calls: false, with `errors` set, refuses the data. */
function validateWith(compile: () => ValidateFunction, findMore?: (values: unknown) => Problem | undefined) {
  let validate: ValidateFunction | undefined
  const check = (data: unknown): boolean => {
    validate ??= compile()
    const isValid = validate(data)
    const more = findMore?.(data)
    check.errors = more ? [more] : (validate.errors ?? null)
    return isValid && !more
  }
  check.errors = null as Problem[] | null
  return check
}

/**
 * `%00` in a URL is a NUL, which no value of ours holds and PostgreSQL refuses; bodies with one are refused earlier. And
 * `1e999` is coerced to Infinity after Ajv has checked for it.
 */
function findProblem(values: unknown): Problem | undefined {
  for (const [name, value] of Object.entries(values as object)) {
    const reason = problemOf(value)
    if (reason !== undefined) return { keyword: 'plain', instancePath: `/${name}`, schemaPath: '', params: { reason } }
  }
  return undefined
}

function problemOf(value: unknown): PlainIssueReason | undefined {
  if (typeof value === 'string') return value.includes('\0') ? 'nul_character' : undefined
  return typeof value === 'number' && !Number.isFinite(value) ? 'not_finite' : undefined
}
