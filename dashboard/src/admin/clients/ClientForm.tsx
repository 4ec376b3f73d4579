import { Stack } from '@mantine/core'
import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { answer, api } from '../../api/client.ts'
import type { ClientChanges } from '../../api/shapes.ts'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { Form, type SubmitForm, useSubmitForm } from '../../ui/Form.tsx'
import { SaveButton } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { CLIENTS_KEY } from './clients-query.ts'

type Options<Values extends Record<string, unknown>> = {
  clientId: string
  mayWrite: boolean
  initialValues: Values
  validate?: (values: Values) => Record<string, string>
  /** What the values change. */
  changes: (values: Values) => ClientChanges
}

/** The settings of one card of the application's page. Each form sends only its own, so that it undoes nothing of the others. */
export function useClientForm<Values extends Record<string, unknown>>(options: Options<Values>): SubmitForm<Values> {
  const { clientId, mayWrite, initialValues, validate, changes } = options
  const client = useQueryClient()
  return useSubmitForm({
    initialValues,
    browserChecks: false,
    ...(validate ? { validate } : {}),
    readOnly: !mayWrite,
    submit: (values) => changeClient(client, clientId, changes(values)),
  })
}

export async function changeClient(client: QueryClient, clientId: string, body: ClientChanges): Promise<void> {
  await answer(api.PATCH('/oauth/clients/{clientId}', { params: { path: { clientId } }, body }))
  await client.invalidateQueries({ queryKey: CLIENTS_KEY })
}

type Props = {
  title: string
  description?: string
  form: Pick<SubmitForm, 'busy' | 'isSaved' | 'unplaced' | 'element' | 'browserChecks' | 'send'>
  mayWrite: boolean
  children: ReactNode
}

/** A card of the application's page with some of its settings, saved together. */
export function ClientForm({ title, description, form, mayWrite, children }: Props) {
  return (
    <Section title={title} description={description}>
      <Form form={form}>
        <Stack>
          {children}
          <FailureAlert failure={form.unplaced} />
          {mayWrite && <SaveButton form={form} />}
        </Stack>
      </Form>
    </Section>
  )
}
