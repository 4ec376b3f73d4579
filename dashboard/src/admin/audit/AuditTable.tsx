import { ActionIcon, Badge, Code, Table, Text, VisuallyHidden } from '@mantine/core'
import { Fragment, useState } from 'react'
import type { AuditEntry } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { deviceName } from '../../lib/user-agent.ts'
import { findText } from '../../texts/find-text.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { PersonLink } from '../../ui/PersonLink.tsx'
import { TargetLink } from './TargetLink.tsx'

export function AuditTable({ events }: { events: AuditEntry[] }) {
  const texts = useTexts('admin').audit
  const [opened, setOpened] = useState<string>()
  return (
    <Table.ScrollContainer minWidth={900} type="native" tabIndex={0} aria-label={texts.title}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.at}</Table.Th>
            <Table.Th>{texts.action}</Table.Th>
            <Table.Th miw={150}>{texts.actor}</Table.Th>
            <Table.Th miw={150}>{texts.target}</Table.Th>
            <Table.Th>{texts.from}</Table.Th>
            <Table.Th>{texts.outcome}</Table.Th>
            <Table.Th w={56} pos="relative">
              <VisuallyHidden>{texts.details}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map((event) => (
            <Fragment key={event.id}>
              <AuditRow
                event={event}
                isOpen={opened === event.id}
                onToggle={() => setOpened(opened === event.id ? undefined : event.id)}
              />
              {opened === event.id && (
                <Table.Tr>
                  <Table.Td colSpan={7}>
                    {event.targetId && (
                      <Text size="sm">
                        {texts.target} <Code>{`${event.targetType ?? ''} ${event.targetId}`}</Code>
                      </Text>
                    )}
                    {event.requestId && (
                      <Text size="sm">
                        {texts.request} <Code>{event.requestId}</Code>
                      </Text>
                    )}
                    <Code block mt="xs">
                      {JSON.stringify(event.data, null, 2)}
                    </Code>
                  </Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

type RowProps = { event: AuditEntry; isOpen: boolean; onToggle: () => void }

function AuditRow({ event, isOpen, onToggle }: RowProps) {
  const texts = useTexts('admin').audit
  const format = useFormat()
  const words = findText(texts.actions, event.action)
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{format.dateTime(event.at)}</Table.Td>
      <Table.Td>
        {words && <Text size="sm">{words}</Text>}
        <Text size="xs" ff="monospace" c="dimmed">
          {event.action}
        </Text>
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        {event.actorId === null ? (
          (event.actorEmail ?? texts.service)
        ) : (
          <PersonLink id={event.actorId}>{event.actorEmail ?? event.actorId}</PersonLink>
        )}
      </Table.Td>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>
        <TargetLink event={event} />
      </Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <Text size="sm">{event.ipAddress ?? '–'}</Text>
        <Text size="xs" c="dimmed">
          {deviceName(event.userAgent)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge size="sm" variant="light" color={event.outcome === 'success' ? 'pine' : 'red'}>
          {texts.outcomes[event.outcome]}
        </Badge>
      </Table.Td>
      <Table.Td>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={`${texts.details}: ${words ?? event.action}`}
          aria-expanded={isOpen}
          onClick={onToggle}
        >
          <Icon name="dots" size={16} />
        </ActionIcon>
      </Table.Td>
    </Table.Tr>
  )
}
