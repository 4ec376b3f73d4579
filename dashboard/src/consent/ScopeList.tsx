import { Box, Group, Text } from '@mantine/core'
import { findText } from '../texts/find-text.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Icon, type IconName } from '../ui/Icon.tsx'
import classes from './ScopeList.module.css'

const icons: Record<string, IconName> = {
  openid: 'fingerprint',
  profile: 'user',
  email: 'mail',
  groups: 'users',
  offline_access: 'refresh',
  ssh: 'key',
}

type Props = { scopes: string[]; claims?: string[]; labelledBy: string }

/** What an application gets to know or to do: one item for each scope, and one for all claims that were mapped for it. */
export function ScopeList({ scopes, claims = [], labelledBy }: Props) {
  const texts = useTexts('publicPages').consent
  return (
    <ul className={classes.list} aria-labelledby={labelledBy}>
      {scopes.map((scope) => (
        <Item
          key={scope}
          icon={findText(icons, scope) ?? 'key'}
          {...(findText(texts.scopes, scope) ?? { title: scope, text: texts.otherScope })}
        />
      ))}
      {claims.length > 0 && <Item icon="list" title={texts.claims} text={claims.join(', ')} />}
    </ul>
  )
}

const Item = ({ icon, title, text }: { icon: IconName; title: string; text: string }) => (
  <Group component="li" className={classes.item} wrap="nowrap" align="flex-start" gap="sm">
    <Box c="pine" pt={2}>
      <Icon name={icon} size={20} />
    </Box>
    <Box style={{ overflowWrap: 'anywhere' }}>
      <Text fw={550} size="sm">
        {title}
      </Text>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </Box>
  </Group>
)
