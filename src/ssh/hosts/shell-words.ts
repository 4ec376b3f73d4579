/** The line that ends a file within a setup script. */
export const FILE_END = 'END_OF_LATCHKEY_FILE'

/** Quotes any text as one word of the shell. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
