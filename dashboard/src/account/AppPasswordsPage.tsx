import { Badge, Button, Select, TextInput } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { AppPassword, BasicSite, MadeAppPassword } from '../api/shapes.ts'
import { useFormat } from '../lib/use-format.ts'
import { useMe } from '../session/me.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { ShownOnceDialog } from '../ui/Dialog.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { useSubmitForm } from '../ui/Form.tsx'
import { ConfirmDialog, FormDialog } from '../ui/FormDialog.tsx'
import { Icon } from '../ui/Icon.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { Section } from '../ui/Section.tsx'

const appPasswordsQuery = queryOptions({
  queryKey: ['app-passwords'],
  queryFn: () => answer(api.GET('/api/account/app-passwords')),
})

/** One's own passwords for programs. */
export function AppPasswordsPage() {
  const texts = useTexts('sites').appPasswords
  const shared = useTexts('shared')
  const format = useFormat()
  const client = useQueryClient()
  const query = useQuery(appPasswordsQuery)
  const [isAdding, setIsAdding] = useState(false)
  const [ending, setEnding] = useState<AppPassword>()
  const reload = () => client.invalidateQueries({ queryKey: appPasswordsQuery.queryKey })
  const sites = query.data?.sites ?? []
  const siteOf = ({ client_id: id }: AppPassword) =>
    sites.find(({ client_id }) => client_id === id)?.name ?? texts.unknownSite
  const add = sites.length > 0 && (
    <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setIsAdding(true)}>
      {texts.add}
    </Button>
  )
  return (
    <>
      <PageHeader title={texts.title} description={texts.description} actions={add} />
      <Section flush>
        <QueryView
          query={query}
          isEmpty={({ appPasswords }) => appPasswords.length === 0}
          empty={
            <EmptyState icon="key" title={texts.emptyTitle}>
              {sites.length === 0 ? texts.noSites : texts.empty}
            </EmptyState>
          }
        >
          {({ appPasswords }) => (
            <Rows label={texts.title}>
              {appPasswords.map((each) => (
                <Row
                  key={each.id}
                  icon="key"
                  title={each.name}
                  badge={
                    each.expiresAt !== null && (
                      <Badge variant="light" color={each.expiresAt <= Date.now() ? 'red' : 'gray'} size="sm">
                        {each.expiresAt <= Date.now() ? texts.expired : texts.endsOn(format.date(each.expiresAt))}
                      </Badge>
                    )
                  }
                  meta={
                    <>
                      {siteOf(each)} · {texts.created} <RelativeTime at={each.createdAt} /> · {texts.lastUsed}{' '}
                      {each.lastUsedAt ? <RelativeTime at={each.lastUsedAt} /> : shared.never}
                    </>
                  }
                  actions={
                    <Button size="xs" variant="subtle" color="red" onClick={() => setEnding(each)}>
                      {texts.end}
                    </Button>
                  }
                />
              ))}
            </Rows>
          )}
        </QueryView>
      </Section>
      {isAdding && <NewAppPasswordDialog sites={sites} onClose={() => setIsAdding(false)} onMade={reload} />}
      {ending && (
        <ConfirmDialog
          title={texts.endTitle(ending.name)}
          confirm={texts.end}
          onClose={() => setEnding(undefined)}
          action={async () => {
            await answer(api.DELETE('/api/account/app-passwords/{id}', { params: { path: { id: ending.id } } }))
            await reload()
          }}
        >
          {texts.endText}
        </ConfirmDialog>
      )}
    </>
  )
}

type NewAppPasswordDialogProps = { sites: BasicSite[]; onClose: () => void; onMade: () => Promise<void> }

/** Makes an app password, and then shows it once. */
export function NewAppPasswordDialog({ sites, onClose, onMade }: NewAppPasswordDialogProps) {
  const texts = useTexts('sites').appPasswords
  const { user } = useMe()
  const [made, setMade] = useState<MadeAppPassword>()
  const form = useSubmitForm({
    initialValues: { name: '', client_id: sites.length === 1 ? (sites[0]?.client_id ?? null) : null, expiresAt: '' },
    async submit({ name, client_id: site, expiresAt: until }) {
      const body = {
        name: name.trim(),
        client_id: site ?? '',
        // Until the end of that day, here.
        ...(until === '' ? {} : { expiresAt: new Date(`${until}T23:59:59`).getTime() }),
      }
      setMade(await answer(api.POST('/api/account/app-passwords', { body })))
      await onMade()
    },
  })

  if (made) {
    const warning = { icon: 'key' as const, title: texts.madeTitle, text: texts.madeText }
    return (
      <ShownOnceDialog title={made.appPassword.name} warning={warning} done={texts.done} onClose={onClose}>
        <CodeBlock label={texts.username} value={user.preferredUsername} wrap />
        <CodeBlock label={texts.password} value={made.password} wrap />
      </ShownOnceDialog>
    )
  }
  return (
    <FormDialog
      title={texts.add}
      form={form}
      submit={texts.submit}
      disabled={form.values.client_id === null}
      onClose={onClose}
    >
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        data-autofocus
        required
        withAsterisk={false}
        maxLength={100}
        {...form.getInputProps('name')}
      />
      <Select
        label={texts.site}
        size="md"
        allowDeselect={false}
        data={sites.map(({ client_id: value, name: label }) => ({ value, label }))}
        {...form.getInputProps('client_id')}
      />
      <TextInput
        type="date"
        label={texts.expires}
        description={texts.expiresHint}
        {...form.getInputProps('expiresAt')}
      />
    </FormDialog>
  )
}
