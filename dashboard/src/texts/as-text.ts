/** A value from a notification's data, which has no fixed shape, or the words to use without it. */
export const asText = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value ? value : otherwise

export const asNumber = (value: unknown): number => (typeof value === 'number' ? value : 0)
