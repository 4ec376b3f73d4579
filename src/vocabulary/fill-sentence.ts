/** The values of a sentence by their names. A duration is a number of seconds. */
export type Values = Readonly<Record<string, string | number>>

/** The names of the values in a sentence: `{max}`, and `{wait:duration}` for a duration. */
export type NamesIn<Sentence extends string> = Sentence extends `${string}{${infer Inside}}${infer Rest}`
  ? (Inside extends `${infer Name}:duration` ? Name : Inside) | NamesIn<Rest>
  : never

const PLACE = /\{(\w+)(:duration)?\}/g

/** Puts the values into a sentence. Languages differ in how they say a duration. */
export const fillSentence = (sentence: string, values: Values, sayDuration: (seconds: number) => string): string =>
  sentence.replaceAll(PLACE, (place, name: string, duration?: string) => {
    const value = values[name]
    if (value === undefined) return place
    return duration === undefined ? String(value) : sayDuration(Number(value))
  })

/** The names of the values that a sentence mentions. */
export const namesIn = (sentence: string): string[] => [...sentence.matchAll(PLACE)].map(([, name = '']) => name)
