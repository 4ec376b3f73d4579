import { Badge, Button, Group, Stack, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Webhook } from '../../api/shapes.ts'
import { useSubmit } from '../../lib/use-submit.ts'
import { paths } from '../../paths.ts'
import { findText } from '../../texts/find-text.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { ConfirmDialog } from '../../ui/FormDialog.tsx'
import { BackArrow, TextLink } from '../../ui/links.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { QueryView } from '../../ui/QueryView.tsx'
import { SavedNote } from '../../ui/SaveButton.tsx'
import { Section } from '../../ui/Section.tsx'
import { DeliveriesSection } from './DeliveriesSection.tsx'
import { WEBHOOKS_KEY, webhookQuery } from './webhook-queries.ts'
import { type MadeSecret, WebhookDialog, WebhookSecretDialog } from './WebhookDialogs.tsx'
import { LastAttempt, WebhookBadge, webhookName } from './WebhookState.tsx'

export function WebhookPage() {
  const texts = useTexts('admin').webhooks
  const { webhookId } = useParams({ from: paths.adminWebhook })
  const query = useQuery(webhookQuery(webhookId))
  return (
    <>
      <TextLink to={paths.adminWebhooks} size="sm">
        <BackArrow /> {texts.back}
      </TextLink>
      <QueryView query={query}>{({ webhook }) => <WebhookSections key={webhookId} webhook={webhook} />}</QueryView>
    </>
  )
}

type OpenDialog = 'edit' | 'on' | 'off' | 'secret' | 'delete'

function WebhookSections({ webhook }: { webhook: Webhook }) {
  const texts = useTexts('admin').webhooks
  const [dialog, setDialog] = useState<OpenDialog>()
  return (
    <>
      <PageHeader
        title={webhookName(webhook)}
        description={
          <Group component="span" gap="xs">
            <WebhookBadge webhook={webhook} />
            <Text component="span" size="sm">
              <LastAttempt webhook={webhook} />
            </Text>
          </Group>
        }
        actions={<TestButton webhook={webhook} />}
      />
      <Section
        title={texts.settings}
        actions={
          <Group gap="xs">
            <Button size="sm" variant="default" onClick={() => setDialog('edit')}>
              {texts.edit}…
            </Button>
            <Button size="sm" variant="default" onClick={() => setDialog(webhook.enabled ? 'off' : 'on')}>
              {webhook.enabled ? texts.off : texts.on}…
            </Button>
          </Group>
        }
      >
        <Stack gap="sm">
          {!webhook.enabled && <Text size="sm">{texts.isOff}</Text>}
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {webhook.url}
          </Text>
          <Events events={webhook.events} />
        </Stack>
      </Section>
      <DeliveriesSection webhook={webhook} />
      <Section title={texts.secret} description={texts.secretSection}>
        <Button variant="default" onClick={() => setDialog('secret')}>
          {texts.rotate}…
        </Button>
      </Section>
      <Section title={texts.deleteSection} description={texts.deleteHint}>
        <Button variant="outline" color="red" onClick={() => setDialog('delete')}>
          {texts.delete}…
        </Button>
      </Section>
      <WebhookDialogs webhook={webhook} dialog={dialog} onClose={() => setDialog(undefined)} />
    </>
  )
}

/** In words; the code of each is in a tooltip of the browser. */
function Events({ events }: { events: string[] }) {
  const texts = useTexts('admin')
  const words = (event: string) => {
    if (event === '*') return texts.webhooks.everything
    const subject = event.endsWith('.*') ? event.slice(0, -2) : undefined
    if (subject !== undefined) return texts.audit.allOf(findText(texts.audit.subjects, subject) ?? subject)
    return findText(texts.audit.actions, event) ?? event
  }
  return (
    <Group gap={6} component="ul" p={0} m={0} style={{ listStyle: 'none' }} aria-label={texts.webhooks.events}>
      {events.map((event) => (
        <li key={event}>
          <Badge variant="default" size="md" fw={500} tt="none" title={event}>
            {words(event)}
          </Badge>
        </li>
      ))}
    </Group>
  )
}

function TestButton({ webhook: { id, enabled } }: { webhook: Webhook }) {
  const texts = useTexts('admin').webhooks
  const client = useQueryClient()
  const test = useSubmit(() => answer(api.POST('/api/admin/webhooks/{id}/test', { params: { path: { id } } })), {
    reload: () => client.invalidateQueries({ queryKey: [...WEBHOOKS_KEY, id] }),
  })
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" disabled={!enabled} loading={test.busy} onClick={() => test.run()}>
          {texts.test}
        </Button>
        <SavedNote shown={test.isDone}>{texts.testSent}</SavedNote>
      </Group>
      <FailureAlert failure={test.failure} />
    </Stack>
  )
}

type DialogsProps = { webhook: Webhook; dialog: OpenDialog | undefined; onClose: () => void }

function WebhookDialogs({ webhook, dialog, onClose }: DialogsProps) {
  const texts = useTexts('admin').webhooks
  const client = useQueryClient()
  const navigate = useNavigate()
  const [secret, setSecret] = useState<MadeSecret>()
  const name = webhookName(webhook)
  const params = { path: { id: webhook.id } }
  const reload = () => client.invalidateQueries({ queryKey: WEBHOOKS_KEY })
  const turn = async (enabled: boolean) => {
    await answer(api.PATCH('/api/admin/webhooks/{id}', { params, body: { enabled } }))
    await reload()
  }
  return (
    <>
      {dialog === 'edit' && <WebhookDialog webhook={webhook} onClose={onClose} onDone={reload} />}
      {dialog === 'off' && (
        <ConfirmDialog title={texts.offTitle(name)} confirm={texts.off} onClose={onClose} action={() => turn(false)}>
          {texts.offText}
        </ConfirmDialog>
      )}
      {dialog === 'on' && (
        <ConfirmDialog title={texts.onTitle(name)} confirm={texts.on} safe onClose={onClose} action={() => turn(true)}>
          {texts.onText}
        </ConfirmDialog>
      )}
      {dialog === 'secret' && (
        <ConfirmDialog
          title={texts.rotateTitle(name)}
          confirm={texts.rotate}
          safe
          onClose={onClose}
          action={async () => {
            const made = await answer(api.POST('/api/admin/webhooks/{id}/secret', { params }))
            setSecret({ name, secret: made.secret, isSecond: true })
          }}
        >
          {texts.rotateText}
        </ConfirmDialog>
      )}
      {dialog === 'delete' && (
        <ConfirmDialog
          title={texts.deleteTitle(name)}
          confirm={texts.delete}
          onClose={onClose}
          action={async () => {
            await answer(api.DELETE('/api/admin/webhooks/{id}', { params }))
            await navigate({ to: paths.adminWebhooks, replace: true })
            await reload()
          }}
        >
          {texts.deleteText}
        </ConfirmDialog>
      )}
      {secret && <WebhookSecretDialog made={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}
