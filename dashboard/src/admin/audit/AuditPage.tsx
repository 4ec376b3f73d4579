import { Button, Group, NativeSelect, Select, TextInput } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { endpoints, paths } from '../../paths.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { LinkButton } from '../../ui/links.tsx'
import { PagedList } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { PersonPicker } from '../users/PersonPicker.tsx'
import { useActionChoices, withChosen } from './action-choices.ts'
import { auditQuery, type AuditSearch, readAuditSearch, toAuditQuery } from './audit-search.ts'
import { AuditTable } from './AuditTable.tsx'

export function AuditPage() {
  const texts = useTexts('admin').audit
  const webhooks = useTexts('admin').webhooks
  const mayManageWebhooks = useMay()('webhooks:manage')
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
          <>
            {mayManageWebhooks && (
              <LinkButton to={paths.adminWebhooks} variant="default" leftSection={<Icon name="globe" size={16} />}>
                {webhooks.title}
              </LinkButton>
            )}
            <Button
              component="a"
              href={csv}
              download
              variant="default"
              leftSection={<Icon name="download" size={16} />}
            >
              {texts.csv}
            </Button>
          </>
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
        data={withChosen(useActionChoices(), search.action === undefined ? [] : [search.action])}
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
