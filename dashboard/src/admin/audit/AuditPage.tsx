import { Button, Group, NativeSelect, Select, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { endpoints, paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { findText } from '../../texts/find-text.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PagedList } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { PersonPicker } from '../users/PersonPicker.tsx'
import { auditQuery, type AuditSearch, readAuditSearch, toAuditQuery } from './audit-search.ts'
import { AuditTable } from './AuditTable.tsx'

export function AuditPage() {
  const texts = useTexts('admin').audit
  const search = useSearch({ from: paths.adminAudit })
  const query = useInfiniteQuery(auditQuery(search))
  const asked = Object.entries(toAuditQuery(search)).map(([name, value]) => [name, String(value)])
  const csv = `${endpoints.audit}?${new URLSearchParams([...asked, ['format', 'csv']])}`

  return (
    <>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <Button component="a" href={csv} download variant="default" leftSection={<Icon name="download" size={16} />}>
            {texts.csv}
          </Button>
        }
      />
      <AuditFilters search={search} />
      <PagedList
        query={query}
        itemsOf={({ events }) => events}
        empty={{ icon: 'list', title: texts.emptyTitle, text: texts.empty }}
      >
        {(events) => <AuditTable events={events} />}
      </PagedList>
    </>
  )
}

/** Only what there is can be chosen: a filter that matches nothing because of a typing error looks like an answer. */
export function AuditFilters({ search }: { search: AuditSearch }) {
  const texts = useTexts('admin').audit
  const maySeePeople = useMay()('users:read')
  const navigate = useNavigate({ from: paths.adminAudit })
  const change = (part: Record<string, unknown>) =>
    void navigate({
      search: readAuditSearch({ ...search, ...part }),
      replace: true,
      resetScroll: false,
    })
  const day = (name: 'from' | 'to') => ({
    type: 'date',
    size: 'sm' as const,
    value: search[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) => change({ [name]: event.currentTarget.value }),
  })
  return (
    <Group mb="md" gap="sm" align="flex-end">
      <Select
        label={texts.action}
        placeholder={texts.any}
        flex={1}
        miw={200}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': texts.clear }}
        nothingFoundMessage={texts.noAction}
        data={useActionChoices(search.action)}
        value={search.action ?? null}
        onChange={(action) => change({ action: action ?? '' })}
      />
      {maySeePeople && (
        <PersonPicker
          label={texts.person}
          size="sm"
          value={search.about}
          onChange={(about) => change({ about: about ?? '' })}
        />
      )}
      <NativeSelect
        label={texts.outcome}
        value={search.outcome ?? ''}
        onChange={(event) => change({ outcome: event.currentTarget.value })}
        data={[
          { value: '', label: texts.any },
          { value: 'success', label: texts.outcomes.success },
          { value: 'refused', label: texts.outcomes.refused },
        ]}
      />
      <TextInput label={texts.fromDay} max={search.to} {...day('from')} />
      <TextInput label={texts.toDay} min={search.from} {...day('to')} />
      {Object.keys(search).length > 0 && (
        <Button
          variant="subtle"
          size="sm"
          onClick={() => void navigate({ search: {}, replace: true, resetScroll: false })}
        >
          {texts.clear}
        </Button>
      )}
    </Group>
  )
}

/** Every action by its subject, and all of a subject. Found by its words and by its code. */
function useActionChoices(chosen: string | undefined) {
  const texts = useTexts('admin').audit
  const actions = Object.keys(texts.actions)
  const subjects = [...new Set(actions.map((action) => action.split('.')[0] ?? ''))]
  const label = (action: string) => `${findText(texts.actions, action) ?? action} (${action})`
  const groups = subjects.map((subject) => ({
    group: findText(texts.subjects, subject) ?? subject,
    items: [
      { value: `${subject}.*`, label: `${texts.allOf(findText(texts.subjects, subject) ?? subject)} (${subject}.*)` },
      ...actions
        .filter((action) => action.startsWith(`${subject}.`))
        .map((action) => ({ value: action, label: label(action) })),
    ],
  }))
  // A link may name an action that another version of the service knows.
  const isKnown = groups.some(({ items }) => items.some(({ value }) => value === chosen))
  return chosen === undefined || isKnown
    ? groups
    : [...groups, { group: chosen, items: [{ value: chosen, label: chosen }] }]
}
