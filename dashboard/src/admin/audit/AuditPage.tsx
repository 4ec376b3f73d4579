import { Button } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { endpoints, paths } from '../../paths.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PagedList } from '../../ui/PagedList.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { auditQuery } from './audit-query.ts'
import { toAuditQuery } from './audit-search.ts'
import { AuditFilters } from './AuditFilters.tsx'
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
