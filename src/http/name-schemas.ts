type Node = { [key: string]: unknown }

const isShape = ({ type, properties }: Node): boolean => type === 'object' && isNode(properties)

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Gives every schema that has a title a place of its own under `components`, and refers to it where it stood. The document
 * becomes a fraction of its size, and programs that read it get names instead of the same shape a hundred times.
 */
export function nameSchemas<T extends object>(document: T): T {
  const schemas: Node = {}

  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit)
    if (!isNode(value)) return value
    const visited = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, visit(inner)]))
    const { title } = visited
    if (typeof title !== 'string' || !(isShape(visited) || 'x-extensible-enum' in visited)) return visited
    const name = title.replaceAll(/\W+/g, '')
    // What differs from place to place is no part of a shape; a list of words has the same description everywhere.
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
