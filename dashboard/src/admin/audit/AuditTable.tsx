import { ActionIcon, Badge, Box, Code, Table, Text } from '@mantine/core'
import { Fragment, useState } from 'react'
import type { AuditEntry } from '../../api/shapes.ts'
import { useFormat } from '../../lib/use-format.ts'
import { deviceName } from '../../lib/user-agent.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { Icon } from '../../ui/Icon.tsx'

export function AuditTable({ events }: { events: AuditEntry[] }) {
  const texts = useTexts('admin').audit
  const format = useFormat()
  const [opened, setOpened] = useState<string>()
  return (
    <Table.ScrollContainer minWidth={760} type="native" tabIndex={0} aria-label={texts.title}>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.at}</Table.Th>
            <Table.Th>{texts.action}</Table.Th>
            <Table.Th>{texts.actor}</Table.Th>
            <Table.Th>{texts.from}</Table.Th>
            <Table.Th>{texts.outcome}</Table.Th>
            <Table.Th aria-label={texts.details} w={56} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {events.map((event) => (
            <Fragment key={event.id}>
              <Table.Tr>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>{format.dateTime(event.at)}</Table.Td>
                <Table.Td>
                  <Text size="sm" ff="monospace">
                    {event.action}
                  </Text>
                </Table.Td>
                <Table.Td>{event.actorEmail ?? event.actorId ?? texts.service}</Table.Td>
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
                    aria-label={`${texts.details}: ${event.action}`}
                    aria-expanded={opened === event.id}
                    onClick={() => setOpened(opened === event.id ? undefined : event.id)}
                  >
                    <Icon name="dots" size={16} />
                  </ActionIcon>
                </Table.Td>
              </Table.Tr>
              {opened === event.id && (
                <Table.Tr>
                  <Table.Td colSpan={6}>
                    <Box component="div">
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
                    </Box>
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
