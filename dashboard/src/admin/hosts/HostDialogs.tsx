import { Alert, Checkbox, MultiSelect, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Host } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { ShownOnceDialog } from '../../ui/Dialog.tsx'
import { useSubmitForm } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { withOptions } from './setup-line.ts'

type HostDialogProps = {
  host?: Host
  onClose: () => void
  /** With what enrolls the host, if it is new. */
  onDone: (enrollment?: Enrollment) => Promise<unknown>
}

const ACCOUNT_KINDS = ['existing', 'managed'] as const satisfies Host['accounts'][]

const listed = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/** Registers a host, or changes one. Only what was changed is sent. */
export function HostDialog({ host, onClose, onDone }: HostDialogProps) {
  const texts = useTexts('admin').hosts
  const { save } = useTexts('shared')
  const may = useMay()
  const roles = useQuery({ ...rolesQuery, enabled: may('roles:read') })
  const form = useSubmitForm({
    initialValues: {
      name: host?.name ?? '',
      hostnames: host?.hostnames.join('\n') ?? '',
      everybody: (host?.allowedRoles ?? null) === null,
      allowedRoles: host?.allowedRoles ?? [],
      accounts: host?.accounts ?? 'existing',
    },
    async submit({ name, hostnames, everybody, allowedRoles, accounts }) {
      const after = {
        name: name.trim(),
        hostnames: listed(hostnames),
        allowedRoles: everybody ? null : allowedRoles,
        accounts,
      }
      if (!host) {
        const made = await answer(api.POST('/api/ssh/hosts', { body: after }))
        return onDone(made)
      }
      const body = {
        ...(after.name === host.name ? {} : { name: after.name }),
        ...(after.hostnames.join() === host.hostnames.join() ? {} : { hostnames: after.hostnames }),
        ...(after.allowedRoles?.toSorted().join() === host.allowedRoles?.join()
          ? {}
          : { allowedRoles: after.allowedRoles }),
        ...(after.accounts === host.accounts ? {} : { accounts: after.accounts }),
      }
      await answer(api.PATCH('/api/ssh/hosts/{id}', { params: { path: { id: host.id } }, body }))
      return onDone()
    },
    onSuccess: onClose,
  })

  return (
    <FormDialog
      title={host ? texts.editTitle(host.name) : texts.create}
      form={form}
      submit={host ? save : texts.createSubmit}
      onClose={onClose}
    >
      <TextInput label={texts.name} data-autofocus required maxLength={64} {...form.getInputProps('name')} />
      <Textarea
        label={texts.hostnames}
        description={texts.hostnamesHint}
        required
        autosize
        minRows={2}
        {...form.getInputProps('hostnames')}
      />
      <Checkbox label={texts.everybody} {...form.getInputProps('everybody', { type: 'checkbox' })} />
      {!form.values.everybody && (
        <MultiSelect
          label={texts.allowedRoles}
          description={texts.allowedRolesHint}
          data={(roles.data?.roles ?? []).map((role) => ({ value: role.id, label: role.name }))}
          {...form.getInputProps('allowedRoles')}
        />
      )}
      <Radio.Group label={texts.accounts.label} {...form.getInputProps('accounts')}>
        <Stack gap="xs" mt="xs">
          {ACCOUNT_KINDS.map((kind) => (
            <Radio
              key={kind}
              value={kind}
              label={texts.accounts.kinds[kind]}
              description={texts.accounts.hints[kind]}
            />
          ))}
        </Stack>
      </Radio.Group>
      {host?.accounts === 'managed' && host.allows?.accounts && form.values.accounts === 'existing' && (
        <Alert role="note" color="brass" variant="light" icon={<Icon name="alert" />}>
          {texts.accounts.willLock}
        </Alert>
      )}
    </FormDialog>
  )
}

type NewTokenDialogProps = { host: Host; onClose: () => void; onDone: (enrollment: Enrollment) => Promise<unknown> }

export function NewTokenDialog({ host, onClose, onDone }: NewTokenDialogProps) {
  const texts = useTexts('admin').hosts
  const form = useSubmitForm({
    initialValues: { revoke: false },
    async submit(body) {
      const params = { path: { id: host.id } }
      const made = await answer(api.POST('/api/ssh/hosts/{id}/enrollment', { params, body }))
      await onDone(made)
    },
    onSuccess: onClose,
  })
  return (
    <FormDialog title={texts.newTokenTitle(host.name)} form={form} submit={texts.newToken} onClose={onClose}>
      <Text>{texts.newTokenText}</Text>
      <Checkbox
        label={texts.revokeNow}
        description={texts.revokeNowHint}
        {...form.getInputProps('revoke', { type: 'checkbox' })}
      />
    </FormDialog>
  )
}

export type Enrollment = { host: Host; command: string }

/** The command that enrolls a host, with its token. Sudo is root's to allow: nobody allows it by copying what is shown. */
export function CommandDialog({ enrollment: { host, command }, onClose }: CommandDialogProps) {
  const texts = useTexts('admin').hosts
  const [sudo, setSudo] = useState(false)
  const managed = host.accounts === 'managed'
  const warning = { icon: 'terminal' as const, title: texts.commandTitle, text: texts.commandText }
  return (
    <ShownOnceDialog title={host.name} warning={warning} done={texts.done} onClose={onClose}>
      {managed && (
        <>
          <Text size="sm">{texts.accounts.lineAllows}</Text>
          <Checkbox
            label={texts.accounts.allowSudo}
            description={texts.accounts.allowSudoHint}
            checked={sudo}
            onChange={(event) => setSudo(event.currentTarget.checked)}
          />
        </>
      )}
      <CodeBlock label={texts.command} value={withOptions(command, { managed, sudo })} wrap />
    </ShownOnceDialog>
  )
}

type CommandDialogProps = { enrollment: Enrollment; onClose: () => void }
