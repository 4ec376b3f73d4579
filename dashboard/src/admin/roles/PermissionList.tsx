import { List, Stack, Text } from '@mantine/core'
import { findText } from '../../texts/find-text.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { groupPermissions } from './permission-groups.ts'

/** Permissions in words, by what they are about. */
export function PermissionList({ permissions }: { permissions: readonly string[] }) {
  const texts = useTexts('people').permissions
  return (
    <Stack gap="sm">
      {groupPermissions(permissions.map((id) => ({ id }))).map(({ group, items }) => (
        <div key={group}>
          <Text size="sm" fw={600}>
            {texts.groups[group]}
          </Text>
          <List size="sm">
            {items.map(({ id }) => (
              <List.Item key={id}>{findText(texts.names, id) ?? id}</List.Item>
            ))}
          </List>
        </div>
      ))}
    </Stack>
  )
}
