import { useState } from 'react'
import { issueAt } from '../../lib/field-issue.ts'

type Save = { error: unknown; reset: () => void }

/** The text fields of a form of an application's page: their values, and the properties of each input. */
export function useTextFields<Name extends string>(initial: Record<Name, string>, save: Save, mayWrite: boolean) {
  const [fields, setFields] = useState(initial)
  const field = (name: Name) => ({
    value: fields[name],
    readOnly: !mayWrite,
    error: issueAt(save.error, name),
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget
      save.reset()
      setFields((before) => ({ ...before, [name]: value }))
    },
  })
  return { fields, field }
}
