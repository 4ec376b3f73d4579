import type { FastifyInstance } from 'fastify'

/** The part of JSON Schema that our contracts use. */
export interface Schema {
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minimum?: number
  maximum?: number
  maxItems?: number
}

export interface Parameter {
  in: 'path' | 'query' | 'header'
  name: string
  schema: Schema
}

/** One method of one path of the OpenAPI document. */
export interface Operation {
  name: string
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  parameters: Parameter[]
  /** The media type and the schema that the contract declares. */
  body: { type: string; schema: Schema } | undefined
}

interface OperationObject {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema?: Schema }> }
}

export function operationsOf(app: FastifyInstance): Operation[] {
  const { paths } = app.swagger() as unknown as { paths: Record<string, Record<string, OperationObject>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { parameters = [], requestBody }]) => {
      const [content] = Object.entries(requestBody?.content ?? {})
      return {
        name: `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase() as Operation['method'],
        path,
        parameters,
        body: content && { type: content[0], schema: content[1].schema ?? {} },
      }
    }),
  )
}
