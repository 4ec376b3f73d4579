import { Badge, Button, TextInput } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { Passkey } from '../api/shapes.ts'
import { addPasskey } from '../lib/create-passkey.ts'
import { signalPasskeys } from '../lib/passkey-signals.ts'
import { deviceName } from '../lib/user-agent.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { useSubmitForm } from '../ui/Form.tsx'
import { ConfirmDialog, FormDialog } from '../ui/FormDialog.tsx'
import { Icon } from '../ui/Icon.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { Section } from '../ui/Section.tsx'

const passkeysQuery = queryOptions({ queryKey: ['passkeys'], queryFn: () => answer(api.GET('/api/passkeys')) })

type OpenDialog = { kind: 'add' } | { kind: 'rename' | 'remove'; passkey: Passkey }

export function PasskeysPage() {
  const texts = useTexts('account').passkeys
  const shared = useTexts('shared')
  const client = useQueryClient()
  const query = useQuery(passkeysQuery)
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  const reload = () => client.invalidateQueries({ queryKey: passkeysQuery.queryKey })
  const signalAndReload = () => {
    void signalPasskeys()
    return reload()
  }
  const nameOf = (passkey: Passkey) => passkey.name ?? texts.unnamed
  const add = (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setDialog({ kind: 'add' })}>
      {texts.add}
    </Button>
  )

  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={add} />
      <Section flush>
        <QueryView
          query={query}
          isEmpty={({ passkeys }) => passkeys.length === 0}
          empty={
            <EmptyState icon="fingerprint" title={texts.emptyTitle}>
              {texts.empty}
            </EmptyState>
          }
        >
          {({ passkeys }) => (
            <Rows label={texts.title}>
              {passkeys.map((passkey) => (
                <Row
                  key={passkey.id}
                  icon="fingerprint"
                  title={nameOf(passkey)}
                  badge={
                    <Badge variant="light" color={passkey.backedUp ? 'pine' : 'gray'} size="sm">
                      {passkey.backedUp ? texts.synced : texts.deviceBound}
                    </Badge>
                  }
                  meta={
                    <>
                      {texts.created} <RelativeTime at={passkey.createdAt} /> · {texts.lastUsed}{' '}
                      {passkey.lastUsedAt ? <RelativeTime at={passkey.lastUsedAt} /> : shared.never}
                    </>
                  }
                  actions={
                    <>
                      <Button size="xs" variant="default" onClick={() => setDialog({ kind: 'rename', passkey })}>
                        {texts.rename}
                      </Button>
                      <Button
                        size="xs"
                        variant="subtle"
                        color="red"
                        onClick={() => setDialog({ kind: 'remove', passkey })}
                      >
                        {shared.remove}
                      </Button>
                    </>
                  }
                />
              ))}
            </Rows>
          )}
        </QueryView>
      </Section>
      {dialog?.kind === 'add' && <AddPasskeyDialog onClose={close} onDone={reload} />}
      {dialog?.kind === 'rename' && (
        <RenamePasskeyDialog passkey={dialog.passkey} onClose={close} onDone={signalAndReload} />
      )}
      {dialog?.kind === 'remove' && (
        <ConfirmDialog
          title={texts.removeTitle(nameOf(dialog.passkey))}
          confirm={shared.remove}
          onClose={close}
          action={async () => {
            await answer(api.DELETE('/api/passkeys/{id}', { params: { path: { id: dialog.passkey.id } } }))
            await signalAndReload()
          }}
        >
          {texts.removeText}
        </ConfirmDialog>
      )}
    </>
  )
}

type PasskeyDialogsProps = { onClose: () => void; onDone: () => Promise<unknown> }

export function AddPasskeyDialog({ onClose, onDone }: PasskeyDialogsProps) {
  const texts = useTexts('account').passkeys
  const form = useSubmitForm({
    initialValues: { name: deviceName(navigator.userAgent) ?? '' },
    async submit({ name }) {
      await addPasskey(name.trim())
      await onDone()
    },
    onSuccess: onClose,
  })
  return (
    <FormDialog title={texts.add} form={form} submit={texts.add} onClose={onClose}>
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        data-autofocus
        maxLength={100}
        {...form.getInputProps('name')}
      />
    </FormDialog>
  )
}

export function RenamePasskeyDialog({ passkey, onClose, onDone }: PasskeyDialogsProps & { passkey: Passkey }) {
  const texts = useTexts('account').passkeys
  const { save } = useTexts('shared')
  const form = useSubmitForm({
    initialValues: { name: passkey.name ?? '' },
    async submit({ name }) {
      const params = { path: { id: passkey.id } }
      await answer(api.PATCH('/api/passkeys/{id}', { params, body: { name: name.trim() } }))
      await onDone()
    },
    onSuccess: onClose,
  })
  return (
    <FormDialog title={texts.renameTitle} form={form} submit={save} onClose={onClose}>
      <TextInput
        label={texts.name}
        data-autofocus
        required
        withAsterisk={false}
        maxLength={100}
        {...form.getInputProps('name')}
      />
    </FormDialog>
  )
}
