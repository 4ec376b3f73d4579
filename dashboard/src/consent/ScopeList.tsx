import { Box, Group, Text } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon, type IconName } from '../ui/Icon.tsx'
import classes from './ScopeList.module.css'

const icons: Record<string, IconName> = {
  openid: 'fingerprint',
  profile: 'user',
  email: 'mail',
  offline_access: 'refresh',
  ssh: 'key',
}

export function ScopeList({ scopes, labelledBy }: { scopes: string[]; labelledBy: string }) {
  const texts = useTexts('entrance').consent
  const explained: Record<string, { title: string; text: string }> = texts.scopes
  return (
    <ul className={classes.list} aria-labelledby={labelledBy}>
      {scopes.map((scope) => (
        <Group component="li" key={scope} className={classes.item} wrap="nowrap" align="flex-start" gap="sm">
          <Box c="pine" pt={2}>
            <Icon name={icons[scope] ?? 'key'} size={20} />
          </Box>
          <Box>
            <Text fw={550} size="sm">
              {explained[scope]?.title ?? scope}
            </Text>
            <Text size="sm" c="dimmed">
              {explained[scope]?.text ?? texts.otherScope}
            </Text>
          </Box>
        </Group>
      ))}
    </ul>
  )
}
