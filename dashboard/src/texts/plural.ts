import type { Language } from './language.ts'

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/** The form that a language uses with this number, such as "1 hour" and "2 hours". `#` stands for the number. */
export function plural(language: Language, count: number, forms: Forms): string {
  const form = forms[new Intl.PluralRules(language).select(count)] ?? forms.other
  return form.replaceAll('#', () => new Intl.NumberFormat(language).format(count))
}
