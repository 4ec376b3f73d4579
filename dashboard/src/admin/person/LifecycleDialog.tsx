import { Button, Group, List, Radio, Skeleton, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { EndedByAction, Receiver, User } from '../../api/shapes.ts'
import { localDateTime } from '../../lib/local-date-time.ts'
import { deviceName } from '../../lib/user-agent.ts'
import { paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { FailureAlert } from '../../ui/FailureAlert.tsx'
import { useSubmitForm } from '../../ui/Form.tsx'
import { ConfirmDialog, FormDialog } from '../../ui/FormDialog.tsx'
import { Section } from '../../ui/Section.tsx'
import { LiveReceipt } from '../receivers/ReceiptView.tsx'
import { previewQuery } from '../users/user-queries.ts'

type Props = { user: User; action: 'enable' | 'disable'; onClose: () => void; onDone: () => Promise<unknown> }

export function LifecycleDialog({ user, action, onClose, onDone }: Props) {
  const texts = useTexts('admin').lifecycle
  const { close } = useTexts('shared')
  const name = user.displayName ?? user.email
  // The receipt of the disable that was carried out here.
  const [doneId, setDoneId] = useState<string>()
  const form = useSubmitForm({
    initialValues: { when: 'now', executeAt: localDateTime(Date.now() + 3_600_000), reason: '' },
    async submit({ when, executeAt, reason }) {
      const params = { path: { userId: user.id } }
      const body = {
        action,
        ...(when === 'later' ? { executeAt: new Date(executeAt).getTime() } : {}),
        ...(reason.trim() ? { reason: reason.trim() } : {}),
      }
      const done = await answer(api.POST('/api/admin/users/{userId}/lifecycle', { params, body }))
      await onDone()
      if (action === 'disable' && !done.scheduled) setDoneId(done.lifecycleActionId)
    },
    onSuccess() {
      if (action === 'enable' || form.values.when === 'later') onClose()
    },
  })
  const isLater = form.values.when === 'later'
  const isPast = isLater && !(new Date(form.values.executeAt).getTime() > Date.now())

  if (doneId !== undefined)
    return (
      <Dialog title={texts.disabledTitle(name)} size="lg" onClose={onClose}>
        <Stack>
          <LiveReceipt userId={user.id} actionId={doneId} />
          <Group justify="flex-end">
            <Button onClick={onClose} autoFocus>
              {close}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    )
  return (
    <FormDialog
      title={action === 'disable' ? texts.disableTitle(name) : texts.enableTitle(name)}
      form={form}
      submit={isLater ? texts.schedule : texts[action]}
      disabled={isPast}
      danger={action === 'disable'}
      onClose={onClose}
    >
      {action === 'disable' ? (
        <LifecyclePreview userId={user.id} later={isLater}>
          {texts.kept}
        </LifecyclePreview>
      ) : (
        <Text size="sm">{texts.enableText}</Text>
      )}
      <Textarea
        label={texts.reason}
        description={texts.reasonHint}
        size="md"
        autosize
        minRows={1}
        maxLength={500}
        {...form.getInputProps('reason')}
      />
      <Radio.Group label={texts.when} {...form.getInputProps('when')}>
        <Stack gap="xs" mt={6}>
          <Radio value="now" label={texts.now} />
          <Radio value="later" label={texts.later} />
        </Stack>
      </Radio.Group>
      {isLater && (
        <TextInput
          type="datetime-local"
          label={texts.at}
          description={texts.atHint}
          min={localDateTime(Date.now())}
          {...form.getInputProps('executeAt')}
          {...(isPast ? { error: texts.past } : {})}
        />
      )}
    </FormDialog>
  )
}

type LifecyclePreviewProps = { userId: string; later?: boolean; children: ReactNode }

/** Lists what disabling or deleting an account will end: how many, and which. */
function LifecyclePreview({ userId, later = false, children }: LifecyclePreviewProps) {
  const texts = useTexts('admin').lifecycle
  const mayCount = useMay()('users:lifecycle')
  const { data, error } = useQuery({ ...previewQuery(userId), enabled: mayCount })
  const ends = useEnds(data?.ends)
  const tells = useTells(data?.tells ?? [])
  if (!mayCount) return <Text size="sm">{children}</Text>
  return (
    <Stack gap={6}>
      <Text size="sm" fw={550}>
        {later ? texts.cutLater : texts.cut}
      </Text>
      <FailureAlert failure={error} />
      {data ? <CountedList items={ends} empty={texts.nothingEnds} /> : !error && <Skeleton h={64} />}
      {data && (
        <>
          <Text size="sm" fw={550} mt="xs">
            {texts.tells}
          </Text>
          <CountedList items={tells} empty={texts.tellsNobody} />
        </>
      )}
      <Text size="sm" c="dimmed">
        {children}
      </Text>
    </Stack>
  )
}

type Counted = { count: string; names: string }

const CountedList = ({ items, empty }: { items: Counted[]; empty: string }) => (
  <List size="sm">
    {items.map(({ count, names }) => (
      <List.Item key={count}>
        {count}
        {names !== '' && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {names}
          </Text>
        )}
      </List.Item>
    ))}
    {items.length === 0 && <List.Item>{empty}</List.Item>}
  </List>
)

const MAX_NAMES = 6

const listNames = (names: string[]): string =>
  [...names.slice(0, MAX_NAMES), ...(names.length > MAX_NAMES ? ['…'] : [])].join(', ')

/** Who will be told, by kind. */
function useTells(tells: Receiver[]): Counted[] {
  const { counts } = useTexts('people').leaving
  return (['application', 'signals', 'webhook', 'host'] as const).flatMap((kind) => {
    const names = tells.filter((each) => each.kind === kind).map(({ name }) => name)
    return names.length > 0 ? [{ count: counts[kind](names.length), names: listNames(names) }] : []
  })
}

/** The server sends names, or only numbers to people who may not see users. */
function useEnds(ends: EndedByAction | undefined): Counted[] {
  const texts = useTexts('admin').lifecycle
  const { unknownDevice } = useTexts('account').sessions
  if (!ends) return []
  const line = (count: (count: number) => string, ended: number | unknown[], names: string[]): Counted[] => {
    const total = Array.isArray(ended) ? ended.length : ended
    return total > 0 ? [{ count: count(total), names: listNames(names) }] : []
  }
  const listed = <Item,>(ended: number | Item[], nameOf: (item: Item) => string) =>
    Array.isArray(ended) ? ended.map(nameOf) : []
  return [
    ...line(
      texts.sessions,
      ends.sessions,
      listed(ends.sessions, ({ userAgent }) => deviceName(userAgent) ?? unknownDevice),
    ),
    ...line(
      texts.tokens,
      ends.apps,
      listed(ends.apps, ({ name }) => name),
    ),
    ...line(
      texts.certificates,
      ends.certificates,
      listed(ends.certificates, ({ serial, principals }) => `№ ${serial} (${principals.join(', ')})`),
    ),
  ]
}

export function DeleteUserSection({ user }: { user: User }) {
  const texts = useTexts('admin').deleteUser
  const client = useQueryClient()
  const navigate = useNavigate()
  const [isConfirming, setIsConfirming] = useState(false)
  const name = user.displayName ?? user.email
  return (
    <Section title={texts.title} description={texts.description}>
      <Button variant="outline" color="red" onClick={() => setIsConfirming(true)}>
        {texts.open}
      </Button>
      {isConfirming && (
        <ConfirmDialog
          title={texts.confirmTitle(name)}
          confirm={texts.confirm}
          typed={{ label: texts.typed(user.email), value: user.email }}
          onClose={() => setIsConfirming(false)}
          action={async () => {
            await answer(api.DELETE('/api/admin/users/{userId}', { params: { path: { userId: user.id } } }))
            await navigate({ to: paths.adminUsers, replace: true })
            client.removeQueries({ queryKey: ['admin', 'users'] })
          }}
        >
          <LifecyclePreview userId={user.id}>{texts.text}</LifecyclePreview>
        </ConfirmDialog>
      )}
    </Section>
  )
}
