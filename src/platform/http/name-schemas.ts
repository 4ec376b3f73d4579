import { isJsonObject } from './json-body.ts'

type Node = Record<string, unknown>

const isShape = ({ type, properties }: Node): boolean => type === 'object' && isJsonObject(properties)

/**
 * Moves every schema that has a title to `components`, and replaces it by a reference. The document becomes a fraction of its
 * size, and programs that read it get names instead of the same shape a hundred times.
 */
export function nameSchemas<T extends object>(document: T): T {
  const schemas: Node = {}

  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (!isJsonObject(value)) return value
    const visited = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)]))
    const { title } = visited
    if (typeof title !== 'string' || !(isShape(visited) || 'x-extensible-enum' in visited)) return visited
    const name = title.replaceAll(/\W+/g, '')
    // A description differs from use to use, so it is no part of a shape; a list of words has the same one everywhere.
    const { description: _, ...rest } = visited
    const shape = isShape(visited) ? rest : visited
    const known = schemas[name]
    if (known === undefined) schemas[name] = shape
    else if (JSON.stringify(known) !== JSON.stringify(shape))
      throw new Error(`Two different schemas are called ${name}.`)
    return { $ref: `#/components/schemas/${name}` }
  }

  const { paths, components, ...rest } = document as unknown as Node
  const visitedPaths = visit(paths)
  return { ...rest, components: { ...(components as Node | undefined), schemas }, paths: visitedPaths } as unknown as T
}
