/** The sentences of the catalogue in another language. What is not among them is the same in both, such as the name of a file. */
export type CatalogueTexts = Readonly<Record<string, string>>

/** A sentence about one application. Sentences that differ in its name alone have one text, with `{name}` for it. */
export const sayOfCatalogue = (texts: CatalogueTexts, name: string, sentence: string): string =>
  texts[sentence] ?? texts[sentence.replaceAll(name, '{name}')]?.replaceAll('{name}', name) ?? sentence
