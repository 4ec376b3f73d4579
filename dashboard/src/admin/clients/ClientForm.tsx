import { Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { ClientChanges } from '../../api/shapes.ts'
import { beyondFields, issueAt } from '../../lib/field-issue.ts'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { SaveButton } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { useTouched } from '../../ui/use-touched.ts'
import { CLIENTS_KEY } from './clients-query.ts'

type Props = {
  title: string
  description?: string
  save: { isPending: boolean; isSuccess: boolean; error: unknown }
  /** The fields that show what the server said about them. */
  fields: readonly string[]
  mayWrite: boolean
  onSubmit: () => void
  children: ReactNode
}

/** A card of the application's page with some of its settings, saved together. */
export function ClientForm({ title, description, save, fields, mayWrite, onSubmit, children }: Props) {
  const touched = useTouched(save)
  return (
    <Section title={title} description={description}>
      <form
        noValidate
        {...touched}
        onSubmit={(event) => {
          event.preventDefault()
          if (!save.isPending) onSubmit()
        }}
      >
        <Stack>
          {children}
          <FailureAlert failure={beyondFields(save.error, fields)} />
          {mayWrite && <SaveButton save={save} />}
        </Stack>
      </form>
    </Section>
  )
}

/** Changes some settings of an application. Each form sends only its own, so that it undoes nothing of the others. */
export function useSaveClient(clientId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: ClientChanges) =>
      answer(api.PATCH('/oauth/clients/{clientId}', { params: { path: { clientId } }, body })),
    onSuccess: () => client.invalidateQueries({ queryKey: CLIENTS_KEY }),
  })
}

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
