import { Checkbox, MultiSelect, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { answer, api } from '../../api/client.ts'
import type { Host } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { ShownOnceDialog } from '../../ui/Dialog.tsx'
import { useSubmitForm } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { rolesQuery } from '../users/user-queries.ts'

type HostDialogProps = {
  host?: Host
  onClose: () => void
  /** With what enrolls the host, if it is new. */
  onDone: (enrollment?: Enrollment) => Promise<unknown>
}

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
    },
    async submit({ name, hostnames, everybody, allowedRoles }) {
      const after = {
        name: name.trim(),
        hostnames: listed(hostnames),
        allowedRoles: everybody ? null : allowedRoles,
      }
      if (!host) {
        const made = await answer(api.POST('/api/ssh/hosts', { body: after }))
        return onDone({ name: made.host.name, command: made.command })
      }
      const body = {
        ...(after.name === host.name ? {} : { name: after.name }),
        ...(after.hostnames.join() === host.hostnames.join() ? {} : { hostnames: after.hostnames }),
        ...(after.allowedRoles?.toSorted().join() === host.allowedRoles?.join()
          ? {}
          : { allowedRoles: after.allowedRoles }),
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
      await onDone({ name: made.host.name, command: made.command })
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

export type Enrollment = { name: string; command: string }

/** The command that enrolls a host, with its token. */
export function CommandDialog({ enrollment, onClose }: { enrollment: Enrollment; onClose: () => void }) {
  const texts = useTexts('admin').hosts
  const warning = { icon: 'terminal' as const, title: texts.commandTitle, text: texts.commandText }
  return (
    <ShownOnceDialog title={enrollment.name} warning={warning} done={texts.done} onClose={onClose}>
      <CodeBlock label={texts.command} value={enrollment.command} wrap />
    </ShownOnceDialog>
  )
}
