import { findText } from '../../texts/find-text.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'

export type ActionChoices = { group: string; items: { value: string; label: string }[] }[]

/** Every action by its subject, and all of a subject. Found by its words and by its code. */
export function useActionChoices(isOffered: (subject: string) => boolean = () => true): ActionChoices {
  const texts = useTexts('admin').audit
  const actions = Object.keys(texts.actions)
  const subjects = [...new Set(actions.map((action) => action.split('.')[0] ?? ''))].filter(isOffered)
  const label = (action: string) => `${findText(texts.actions, action) ?? action} (${action})`
  return subjects.map((subject) => ({
    group: findText(texts.subjects, subject) ?? subject,
    items: [
      { value: `${subject}.*`, label: `${texts.allOf(findText(texts.subjects, subject) ?? subject)} (${subject}.*)` },
      ...actions
        .filter((action) => action.startsWith(`${subject}.`))
        .map((action) => ({ value: action, label: label(action) })),
    ],
  }))
}

/** With those that were chosen, of which some may be known to another version of the service only. */
export const withChosen = (choices: ActionChoices, chosen: readonly string[]): ActionChoices => [
  ...choices,
  ...chosen
    .filter((action) => !choices.some(({ items }) => items.some(({ value }) => value === action)))
    .map((action) => ({ group: action, items: [{ value: action, label: action }] })),
]
