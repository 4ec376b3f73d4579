/** The entry of a table for a word of the server; undefined for a word that this dashboard does not know. */
export const findText = <Known extends string, Text>(table: Record<Known, Text>, word: string): Text | undefined =>
  isKnown(table, word) ? table[word] : undefined

const isKnown = <Known extends string>(table: Record<Known, unknown>, word: string): word is Known =>
  Object.hasOwn(table, word)
