import { MultiSelect, TextInput } from '@mantine/core'
import { answer, api } from '../../api/client.ts'
import type { Webhook } from '../../api/shapes.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { ShownOnceDialog } from '../../ui/Dialog.tsx'
import { type FormFields, useSubmitForm } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { useActionChoices, withChosen } from '../audit/action-choices.ts'
import { webhookName } from './WebhookState.tsx'

export type MadeSecret = { name: string; secret: string; isSecond: boolean }

type Props = {
  webhook?: Webhook
  onClose: () => void
  /** With the secret of a new webhook. */
  onDone: (made?: MadeSecret) => Promise<unknown>
}

/** Adds a webhook, or changes one. Only what was changed is sent. */
export function WebhookDialog({ webhook, onClose, onDone }: Props) {
  const texts = useTexts('admin').webhooks
  const { save } = useTexts('shared')
  const form = useSubmitForm({
    initialValues: {
      url: webhook?.url ?? '',
      description: webhook?.description ?? '',
      events: webhook?.events ?? [],
    },
    browserChecks: false,
    validate: ({ url, events }) => ({
      ...(url.trim() === '' ? { url: texts.urlNeeded } : {}),
      ...(events.length === 0 ? { events: texts.eventsNeeded } : {}),
    }),
    async submit({ url, description, events }) {
      const after = { url: url.trim(), description: description.trim(), events }
      if (!webhook) {
        const { webhook: added, secret } = await answer(api.POST('/api/admin/webhooks', { body: after }))
        return onDone({ name: webhookName(added), secret, isSecond: false })
      }
      const body = {
        ...(after.url === webhook.url ? {} : { url: after.url }),
        ...(after.description === webhook.description ? {} : { description: after.description }),
        ...(events.join() === webhook.events.join() ? {} : { events }),
      }
      await answer(api.PATCH('/api/admin/webhooks/{id}', { params: { path: { id: webhook.id } }, body }))
      return onDone()
    },
    onSuccess: onClose,
  })
  return (
    <FormDialog
      title={webhook ? texts.editTitle(webhookName(webhook)) : texts.create}
      form={form}
      submit={webhook ? save : texts.createSubmit}
      size="lg"
      onClose={onClose}
    >
      <TextInput
        label={texts.url}
        description={texts.urlHint}
        placeholder="https://hooks.example.com/latchkey"
        maxLength={2000}
        data-autofocus
        {...form.getInputProps('url')}
      />
      <TextInput
        label={texts.purpose}
        description={texts.purposeHint}
        maxLength={200}
        {...form.getInputProps('description')}
      />
      <EventsInput form={form} />
    </FormDialog>
  )
}

/** What a webhook is told: chosen from what there is, found by its words and by its code. */
function EventsInput({ form }: { form: FormFields<{ url: string; description: string; events: string[] }> }) {
  const texts = useTexts('admin').webhooks
  const audit = useTexts('admin').audit
  const everything = { group: texts.everythingGroup, items: [{ value: '*', label: `${texts.everything} (*)` }] }
  // What is about webhooks is never sent.
  const choices = [everything, ...useActionChoices((subject) => subject !== 'webhook')]
  return (
    <MultiSelect
      label={texts.events}
      description={texts.eventsHint}
      placeholder={form.values.events.length === 0 ? texts.eventsSearch : ''}
      searchable
      hidePickedOptions
      maxDropdownHeight={300}
      nothingFoundMessage={audit.noAction}
      data={withChosen(choices, form.values.events)}
      {...form.getInputProps('events')}
    />
  )
}

/** The secret, this once. A second one signs beside the first for a day. */
export function WebhookSecretDialog({ made, onClose }: { made: MadeSecret; onClose: () => void }) {
  const texts = useTexts('admin').webhooks
  const warning = {
    icon: 'key' as const,
    title: texts.secretTitle,
    text: made.isSecond ? texts.secondSecretText : texts.secretText,
  }
  return (
    <ShownOnceDialog title={made.name} warning={warning} done={texts.secretDone} onClose={onClose}>
      <CodeBlock label={texts.secret} value={made.secret} wrap />
    </ShownOnceDialog>
  )
}
