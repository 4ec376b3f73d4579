import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import fastJson from 'fast-json-stringify'
import type { FastifyInstance, FastifySchemaValidationError } from 'fastify'
import { addVisibleNames } from './visible-name.ts'

const options = {
  allErrors: true,
  strict: false,
  removeAdditional: false,
  useDefaults: true,
  strictNumbers: true,
} as const

/**
 * A body says what it means: nothing is coerced or dropped, and names alone are trimmed. What arrives in a URL is text by nature, so there a number
 * or a truth value may be written as one.
 */
export function compileSchemas(app: FastifyInstance): void {
  const typed = new Ajv({ ...options, coerceTypes: false })
  const textual = new Ajv({ ...options, coerceTypes: true })
  for (const ajv of [typed, textual]) addFormats.default(ajv)
  addVisibleNames(typed)
  app.setValidatorCompiler(({ schema, httpPart }) =>
    httpPart === 'body' ? typed.compile(schema as object) : onlyPlain(textual.compile(schema as object)),
  )
  // Errors are written by their dialect. Compiling a serializer for each status that each route may refuse with would take
  // most of the time and memory of the start, for code that never runs.
  app.setSerializerCompiler(({ schema, httpStatus }) =>
    Number(httpStatus) >= 400 ? JSON.stringify : fastJson(schema as fastJson.Schema),
  )
}

/**
 * `%00` in a URL is a NUL, which no value of ours holds and PostgreSQL does not take; bodies are read without it. And
 * `1e999` becomes a number that is infinite, after the moment at which Ajv would have refused it.
 */
function onlyPlain(validate: ValidateFunction) {
  const check = (values: Record<string, unknown>): boolean => {
    const isValid = validate(values)
    check.errors = validate.errors ?? null
    for (const name in values) {
      const problem = problemOf(values[name])
      if (problem === undefined) continue
      check.errors = [{ keyword: 'plain', instancePath: `/${name}`, schemaPath: '', params: {}, message: problem }]
      return false
    }
    return isValid
  }
  check.errors = null as FastifySchemaValidationError[] | null
  return check
}

function problemOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? 'holds a NUL character' : undefined
  return typeof value === 'number' && !Number.isFinite(value) ? 'is too large' : undefined
}
