import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import fastJson from 'fast-json-stringify'
import type { FastifyInstance } from 'fastify'

const options = { allErrors: true, strict: false, removeAdditional: false, useDefaults: true } as const

/**
 * A body says what it means: nothing is coerced or dropped. What arrives in a URL is text by nature, so there a number
 * or a truth value may be written as one.
 */
export function compileSchemas(app: FastifyInstance): void {
  const typed = new Ajv({ ...options, coerceTypes: false })
  const textual = new Ajv({ ...options, coerceTypes: true })
  for (const ajv of [typed, textual]) addFormats.default(ajv)
  app.setValidatorCompiler(({ schema, httpPart }) => (httpPart === 'body' ? typed : textual).compile(schema as object))
  // Errors are written by their dialect. Compiling a serializer for each status that each route may refuse with would take
  // most of the time and memory of the start, for code that never runs.
  app.setSerializerCompiler(({ schema, httpStatus }) =>
    Number(httpStatus) >= 400 ? JSON.stringify : fastJson(schema as fastJson.Schema),
  )
}
