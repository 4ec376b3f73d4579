/** Reads a column that holds a list of texts as JSON. */
export const readTextList = (column: string): string[] => JSON.parse(column) as string[]
