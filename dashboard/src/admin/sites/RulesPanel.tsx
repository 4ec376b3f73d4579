import {
  ActionIcon,
  Box,
  Button,
  Divider,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Client, SiteRule } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import type { FormFields } from '../../ui/Form.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ClientForm, useClientForm } from '../clients/ClientForm.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { TryOutSection } from './TryOutSection.tsx'

type Props = { site: Client; mayWrite: boolean }

/** The rules of a site, and what they would do. */
export function RulesPanel({ site, mayWrite }: Props) {
  const texts = useTexts('sites').rules
  const form = useClientForm({
    clientId: site.client_id,
    mayWrite,
    initialValues: { rules: (site.rules ?? []).map(ruleRow) },
    changes: (values) => ({ rules: values.rules.map(ruleOf) }),
  })
  const { rules } = form.values
  return (
    <>
      <ClientForm title={texts.title} description={texts.description} form={form} mayWrite={mayWrite}>
        {rules.length === 0 && <Text c="dimmed">{texts.empty}</Text>}
        <Stack gap="md">
          {rules.map((rule, at) => (
            <Stack key={rule.key} gap="md">
              {at > 0 && <Divider />}
              <RuleFields form={form} rule={rule} at={at} readOnly={!mayWrite} />
            </Stack>
          ))}
        </Stack>
        {rules.length > 0 && (
          <Text size="sm" c="dimmed">
            {texts.exact}
          </Text>
        )}
        {mayWrite && (
          <Group>
            <Button
              variant="default"
              leftSection={<Icon name="plus" size={16} />}
              onClick={() => form.insertListItem('rules', newRule())}
            >
              {texts.add}
            </Button>
          </Group>
        )}
      </ClientForm>
      <TryOutSection site={site} rules={mayWrite ? rules.map(ruleOf) : undefined} />
    </>
  )
}

const POLICIES = ['bypass', 'deny', 'roles'] as const
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']

/** The hints stand below, so that the fields of a row are at one height. */
const shape: { size: 'md'; inputWrapperOrder: ('label' | 'input' | 'description' | 'error')[] } = {
  size: 'md',
  inputWrapperOrder: ['label', 'input', 'description', 'error'],
}

type RuleFieldsProps = { form: FormFields<{ rules: RuleRow[] }>; rule: RuleRow; at: number; readOnly: boolean }

/** One rule: which addresses, and what happens there. */
function RuleFields({ form, rule, at, readOnly }: RuleFieldsProps) {
  const texts = useTexts('sites').rules
  const roles = useQuery({ ...rolesQuery, enabled: useMay()('roles:read') })
  const named = new Map(roles.data?.roles.map(({ id, name }) => [id, name]))
  const known = [...new Set([...named.keys(), ...rule.roles])]
  const number = at + 1
  return (
    <Box component="fieldset" bd={0} p={0} m={0} aria-label={texts.rule(number)}>
      <Group justify="space-between" mb="xs">
        <Title order={3} size="h5">
          {texts.rule(number)}
        </Title>
        {!readOnly && (
          <Group gap="xs">
            {at > 0 && (
              <ActionIcon
                variant="default"
                aria-label={texts.up(number)}
                onClick={() => form.reorderListItem('rules', { from: at, to: at - 1 })}
              >
                <Icon name="up" size={16} />
              </ActionIcon>
            )}
            <ActionIcon
              variant="default"
              aria-label={texts.remove(number)}
              onClick={() => form.removeListItem('rules', at)}
            >
              <Icon name="x" size={16} />
            </ActionIcon>
          </Group>
        )}
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <TextInput
          label={texts.path}
          {...shape}
          description={texts.pathHint}
          {...form.getInputProps(`rules.${at}.path`)}
        />
        <TagsInput
          label={texts.methods}
          {...shape}
          description={texts.methodsHint}
          data={METHODS}
          {...form.getInputProps(`rules.${at}.methods`)}
          onChange={(methods) =>
            form.setFieldValue(
              `rules.${at}.methods`,
              methods.map((each) => each.toUpperCase()),
            )
          }
        />
        <Select
          label={texts.policy}
          {...shape}
          allowDeselect={false}
          data={POLICIES.map((value) => ({ value, label: texts.policies[value] }))}
          {...form.getInputProps(`rules.${at}.policy`)}
        />
      </SimpleGrid>
      {rule.policy === 'roles' && (
        <MultiSelect
          mt="sm"
          label={texts.roles}
          {...shape}
          searchable
          data={known.map((id) => ({ value: id, label: named.get(id) ?? id }))}
          {...form.getInputProps(`rules.${at}.roles`)}
        />
      )}
    </Box>
  )
}

/** A rule as the form has it. The key stays when rules are moved. */
export type RuleRow = { key: number; path: string; methods: string[]; policy: SiteRule['policy']; roles: string[] }

let keys = 0

const ruleRow = (rule: SiteRule): RuleRow => ({
  key: ++keys,
  path: rule.path,
  methods: rule.methods ?? [],
  policy: rule.policy,
  roles: rule.roles ?? [],
})

/** A new one closes: nothing powerful is preselected. */
const newRule = (): RuleRow => ({ key: ++keys, path: '', methods: [], policy: 'deny', roles: [] })

const ruleOf = ({ path, methods, policy, roles }: RuleRow): SiteRule => ({
  path: path.trim(),
  ...(methods.length > 0 ? { methods } : {}),
  policy,
  ...(policy === 'roles' ? { roles } : {}),
})
