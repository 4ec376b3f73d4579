import { Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { beyondFields } from '../../lib/field-issue.ts'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { SaveButton } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { useTouched } from '../../ui/use-touched.ts'

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
