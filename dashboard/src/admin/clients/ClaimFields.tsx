import { Button, Checkbox, Group, NativeSelect, Paper, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { NO_VALUE } from '../../lib/typed-value.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import type { FormFields } from '../../ui/Form.tsx'
import { ValueInput } from '../../ui/ValueInput.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { CLAIM_PLACES, CLAIM_SOURCES, type ClaimRow } from './claim-rows.ts'

type Props = { form: FormFields<{ claims: ClaimRow[] }>; claim: ClaimRow; at: number; readOnly: boolean }

/** One claim that is mapped for an application: its name, where it is told, and where its value comes from. */
export function ClaimFields({ form, claim, at, readOnly }: Props) {
  const texts = useTexts('applications').claims
  const { remove } = useTexts('shared')
  return (
    <Paper component="li" withBorder p="md" radius="md" style={{ listStyle: 'none' }}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput label={texts.name} {...form.getInputProps(`claims.${at}.name`)} />
          <NativeSelect
            label={texts.source}
            size="md"
            disabled={readOnly}
            data={CLAIM_SOURCES.map((source) => ({ value: source, label: texts.sources[source] }))}
            {...form.getInputProps(`claims.${at}.source`)}
          />
        </SimpleGrid>
        <SourceFields form={form} claim={claim} at={at} readOnly={readOnly} />
        <Checkbox.Group label={texts.places} {...form.getInputProps(`claims.${at}.in`)}>
          <Group gap="md" mt={6} mb={4}>
            {CLAIM_PLACES.map((place) => (
              <Checkbox key={place} value={place} label={texts.place[place]} disabled={readOnly} />
            ))}
          </Group>
        </Checkbox.Group>
        {!readOnly && (
          <Group justify="flex-end">
            <Button
              size="xs"
              variant="subtle"
              color="red"
              aria-label={texts.remove(claim.name)}
              onClick={() => form.removeListItem('claims', at)}
            >
              {remove}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}

function SourceFields({ form, claim, at, readOnly }: Props) {
  const texts = useTexts('applications').claims
  const roles = useQuery({ ...rolesQuery, enabled: useMay()('roles:read') })
  const path = `claims.${at}`
  if (claim.source === 'roles') return null
  if (claim.source === 'value')
    return <ValueInput label={texts.value} form={form} path={`${path}.value`} value={claim.value} readOnly={readOnly} />
  if (claim.source === 'attribute')
    return (
      <TextInput
        label={texts.attribute}
        description={texts.attributeHint}
        {...form.getInputProps(`${path}.attribute`)}
      />
    )
  const names = new Map(roles.data?.roles.map(({ id, name }) => [id, name]))
  const choices = [...new Set([...names.keys(), claim.roleId])].filter(Boolean)
  return (
    <Stack gap="sm">
      <NativeSelect
        label={texts.role}
        size="md"
        disabled={readOnly}
        data={[{ value: '', label: texts.noRole }, ...choices.map((id) => ({ value: id, label: names.get(id) ?? id }))]}
        {...form.getInputProps(`${path}.roleId`)}
      />
      <ValueInput
        label={texts.whenHeld}
        form={form}
        path={`${path}.whenHeld`}
        value={claim.whenHeld}
        readOnly={readOnly}
      />
      <Checkbox
        label={texts.hasOtherwise}
        checked={claim.otherwise !== undefined}
        disabled={readOnly}
        onChange={(event) =>
          form.setFieldValue(`${path}.otherwise`, event.currentTarget.checked ? NO_VALUE : undefined)
        }
      />
      {claim.otherwise && (
        <ValueInput
          label={texts.otherwise}
          form={form}
          path={`${path}.otherwise`}
          value={claim.otherwise}
          readOnly={readOnly}
        />
      )}
    </Stack>
  )
}
