import { Alert, Button, Checkbox, Group, List, Stack, Text, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { BatchResult, User } from '../../api/shapes.ts'
import { useMay, useMe } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { useSubmitForm } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { isRoleConfirmed, NO_ROLE, RoleToGive } from '../roles/RoleToGive.tsx'
import { BatchReceipts } from './BatchReceipts.tsx'
import { resultSentence } from './result-sentence.ts'

export type BatchAction = 'disable' | 'assign_role' | 'invite'
type Props = { action: BatchAction; users: User[]; onClose: () => void; onDone: () => void }

/** The same for many people: first what would happen, then one report of what did. */
function BatchDialog({ action, users, onClose, onDone }: Props) {
  const texts = useTexts('people').batch
  const lifecycle = useTexts('admin').lifecycle
  const { cancel, close } = useTexts('shared')
  const client = useQueryClient()
  const [preview, setPreview] = useState<BatchResult[]>()
  const [done, setDone] = useState<BatchResult[]>()
  const form = useSubmitForm({
    initialValues: { reason: '', role: NO_ROLE },
    // First what would happen, then it happens.
    isPreview: preview === undefined,
    async submit({ reason, role }) {
      const body = {
        action,
        ids: users.map(({ id }) => id),
        dryRun: preview === undefined,
        ...(action === 'disable' && reason.trim() ? { reason: reason.trim() } : {}),
        ...(action === 'assign_role' && role.role ? { roleId: role.role.id } : {}),
      }
      const { results } = await answer(api.POST('/api/admin/users/batch', { body }))
      if (preview === undefined) return setPreview(results)
      setDone(results)
      await client.invalidateQueries({ queryKey: ['admin'] })
    },
  })
  const todo = preview?.filter(({ outcome }) => outcome === 'done').length ?? 0
  const finish = () => {
    if (done) onDone()
    onClose()
  }
  const results = done ?? preview
  const disabled =
    done && action === 'disable'
      ? users.filter(({ id }) => done.some((each) => each.id === id && each.outcome === 'done'))
      : []
  const backTo = preview ? { label: texts.back, go: () => setPreview(undefined) } : { label: cancel, go: onClose }
  const isUndecided = users.length === 0 || (action === 'assign_role' && !isRoleConfirmed(form.values.role))
  return (
    <FormDialog
      title={texts[`${action}Title`](users.length)}
      form={form}
      submit={
        done && !form.busy ? (
          <Button onClick={finish} data-autofocus>
            {close}
          </Button>
        ) : preview ? (
          texts.submit(todo)
        ) : (
          texts.preview
        )
      }
      size="lg"
      danger={preview !== undefined && action === 'disable'}
      disabled={preview ? todo === 0 : isUndecided}
      onClose={finish}
      back={done ? null : backTo}
    >
      {!results && action !== 'assign_role' && <Text size="sm">{texts[`${action}Text`]}</Text>}
      {!results && action === 'disable' && (
        <Textarea
          label={lifecycle.reason}
          description={lifecycle.reasonHint}
          data-autofocus
          autosize
          maxLength={500}
          {...form.getInputProps('reason')}
        />
      )}
      {!results && action === 'assign_role' && (
        <RoleToGive value={form.values.role} onChange={(role) => form.setFieldValue('role', role)} />
      )}
      {results && <BatchReport results={results} users={users} isPreview={!done} />}
      {disabled.length > 0 && <BatchReceipts users={disabled} />}
      {preview && !done && todo === 0 && (
        <Alert role="note" color="brass" variant="light">
          {texts.nothing}
        </Alert>
      )}
    </FormDialog>
  )
}

type BatchReportProps = { results: BatchResult[]; users: User[]; isPreview: boolean }

/** How many of each outcome, and for each person who was refused the reason. */
function BatchReport({ results, users, isPreview }: BatchReportProps) {
  const texts = useTexts('people').batch
  const count = (outcome: BatchResult['outcome']) => results.filter((each) => each.outcome === outcome).length
  const refused = results.filter(({ outcome }) => outcome === 'refused')
  const nameOf = (id: string) => users.find((user) => user.id === id)?.email ?? id
  return (
    <Stack gap="xs" role="status">
      <Text fw={600}>{isPreview ? texts.previewTitle : texts.report}</Text>
      <List size="sm">
        <List.Item>{isPreview ? texts.willBeDone(count('done')) : texts.done(count('done'))}</List.Item>
        {count('unchanged') > 0 && <List.Item>{texts.unchanged(count('unchanged'))}</List.Item>}
        {refused.length > 0 && (
          <List.Item>
            {texts.refused(refused.length)}
            <List size="sm" withPadding>
              {refused.map((result) => (
                <List.Item key={result.id} style={{ overflowWrap: 'anywhere' }}>
                  {nameOf(result.id)}: {resultSentence(result)}
                </List.Item>
              ))}
            </List>
          </List.Item>
        )}
      </List>
    </Stack>
  )
}

/** The server takes this many at once. */
const MAX_SELECTED = 200

type SelectionBarProps = { selected: User[]; shown: User[]; onSelect: (users: User[]) => void }

/** How many people are selected, and what can be done with them. */
export function SelectionBar({ selected, shown, onSelect }: SelectionBarProps) {
  const texts = useTexts('people').list
  const may = useMay()
  const { user: me } = useMe()
  const [action, setAction] = useState<BatchAction>()
  const isAll = shown.every(({ id }) => selected.some((user) => user.id === id))
  const isTooMany = selected.length > MAX_SELECTED
  const actions: { action: BatchAction; label: string; allowed: boolean }[] = [
    { action: 'disable', label: texts.disable, allowed: may('users:lifecycle') },
    { action: 'assign_role', label: texts.giveRole, allowed: may('roles:assign') && may('roles:read') },
    { action: 'invite', label: texts.invite, allowed: may('users:write') },
  ]
  return (
    <Group gap="xs">
      {selected.length > 0 && (
        <>
          <Text size="sm" fw={550} role="status">
            {texts.selected(selected.length)}
            {isTooMany && ` · ${texts.tooMany}`}
          </Text>
          {actions
            .filter(({ allowed }) => allowed)
            .map(({ action: each, label }) => (
              <Button key={each} size="xs" variant="default" disabled={isTooMany} onClick={() => setAction(each)}>
                {label}
              </Button>
            ))}
          <Button size="xs" variant="subtle" onClick={() => onSelect([])}>
            {texts.clear}
          </Button>
        </>
      )}
      <Checkbox
        label={texts.selectAll}
        checked={isAll}
        indeterminate={!isAll && selected.length > 0}
        onChange={() => onSelect(isAll ? [] : shown)}
      />
      {action && (
        <BatchDialog
          action={action}
          // Nobody disables themselves.
          users={action === 'disable' ? selected.filter(({ id }) => id !== me.id) : selected}
          onClose={() => setAction(undefined)}
          onDone={() => onSelect([])}
        />
      )}
    </Group>
  )
}
