import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { endpoints } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PagedList } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { auditQuery, filled, type AuditFilter } from './audit-query.ts'
import { AuditTable } from './AuditTable.tsx'

export function AuditPage() {
  const texts = useTexts('admin').audit
  const [filter, setFilter] = useState<AuditFilter>({ action: '', actor: '', outcome: '' })
  const [settled] = useDebouncedValue(filter, 300)
  const query = useInfiniteQuery(auditQuery(settled))
  const csv = `${endpoints.audit}?${new URLSearchParams({ ...filled(settled), format: 'csv' })}`

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
      <Group mb="md" gap="sm" align="flex-end">
        <TextInput
          size="sm"
          flex={1}
          miw={160}
          label={texts.action}
          placeholder="user.*"
          value={filter.action}
          onChange={(event) => setFilter({ ...filter, action: event.currentTarget.value.trim() })}
        />
        <TextInput
          size="sm"
          flex={1}
          miw={160}
          label={texts.actor}
          placeholder="ada@example.com"
          value={filter.actor}
          onChange={(event) => setFilter({ ...filter, actor: event.currentTarget.value.trim() })}
        />
        <NativeSelect
          label={texts.outcome}
          value={filter.outcome}
          onChange={(event) => setFilter({ ...filter, outcome: event.currentTarget.value as AuditFilter['outcome'] })}
          data={[
            { value: '', label: texts.any },
            { value: 'success', label: texts.outcomes.success },
            { value: 'refused', label: texts.outcomes.refused },
          ]}
        />
      </Group>
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
