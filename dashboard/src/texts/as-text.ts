/** A text from a notification's data, which has no fixed shape, or the given text without it. */
export const asText = (value: unknown, fallback: string): string =>
  typeof value === 'string' && value ? value : fallback

export const asNumber = (value: unknown): number => (typeof value === 'number' ? value : 0)
