import { Button, Checkbox, Group, NativeSelect, Paper, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { NO_VALUE } from '../../lib/value-draft.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { ValueInput } from '../../ui/ValueInput.tsx'
import { rolesQuery } from '../users/user-queries.ts'
import { CLAIM_PLACES, CLAIM_SOURCES, type ClaimDraft, type ClaimProblem } from './claim-draft.ts'

type Props = {
  value: ClaimDraft
  problem: ClaimProblem | undefined
  /** What the server said about this claim. */
  refusal: string | undefined
  readOnly: boolean
  onChange: (value: ClaimDraft) => void
  onRemove: () => void
}

/** One claim that is mapped for an application: its name, where it is told, and where its value comes from. */
export function ClaimFields({ value, problem, refusal, readOnly, onChange, onRemove }: Props) {
  const texts = useTexts('applications').claims
  const { remove } = useTexts('shared')
  const change = (part: Partial<ClaimDraft>) => onChange({ ...value, ...part })
  return (
    <Paper component="li" withBorder p="md" radius="md" style={{ listStyle: 'none' }}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={texts.name}
            readOnly={readOnly}
            error={problem === 'name' ? texts.problems.name : refusal}
            value={value.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
          <NativeSelect
            label={texts.source}
            size="md"
            disabled={readOnly}
            data={CLAIM_SOURCES.map((source) => ({ value: source, label: texts.sources[source] }))}
            value={value.source}
            onChange={(event) =>
              change({ source: CLAIM_SOURCES.find((each) => each === event.currentTarget.value) ?? 'value' })
            }
          />
        </SimpleGrid>
        <SourceFields value={value} problem={problem} readOnly={readOnly} change={change} />
        <Checkbox.Group
          label={texts.places}
          error={problem === 'places' && texts.problems.places}
          value={value.places}
          onChange={(places) => change({ places: CLAIM_PLACES.filter((place) => places.includes(place)) })}
        >
          <Group gap="md" mt={6} mb={4}>
            {CLAIM_PLACES.map((place) => (
              <Checkbox key={place} value={place} label={texts.place[place]} disabled={readOnly} />
            ))}
          </Group>
        </Checkbox.Group>
        {!readOnly && (
          <Group justify="flex-end">
            <Button size="xs" variant="subtle" color="red" aria-label={texts.remove(value.name)} onClick={onRemove}>
              {remove}
            </Button>
          </Group>
        )}
      </Stack>
    </Paper>
  )
}

type SourceProps = Pick<Props, 'value' | 'problem' | 'readOnly'> & { change: (part: Partial<ClaimDraft>) => void }

function SourceFields({ value, problem, readOnly, change }: SourceProps) {
  const texts = useTexts('applications').claims
  const roles = useQuery({ ...rolesQuery, enabled: useMay()('roles:read') })
  if (value.source === 'roles') return null
  if (value.source === 'value')
    return (
      <ValueInput
        label={texts.value}
        value={value.value}
        readOnly={readOnly}
        isRequired={problem === 'value'}
        onChange={(next) => change({ value: next })}
      />
    )
  if (value.source === 'attribute')
    return (
      <TextInput
        label={texts.attribute}
        description={texts.attributeHint}
        readOnly={readOnly}
        error={problem === 'attribute' && texts.problems.attribute}
        value={value.attribute}
        onChange={(event) => change({ attribute: event.currentTarget.value })}
      />
    )
  const names = new Map(roles.data?.roles.map(({ id, name }) => [id, name]))
  const choices = [...new Set([...names.keys(), value.roleId])].filter(Boolean)
  return (
    <Stack gap="sm">
      <NativeSelect
        label={texts.role}
        size="md"
        disabled={readOnly}
        error={problem === 'role' && texts.problems.role}
        data={[{ value: '', label: texts.noRole }, ...choices.map((id) => ({ value: id, label: names.get(id) ?? id }))]}
        value={value.roleId}
        onChange={(event) => change({ roleId: event.currentTarget.value })}
      />
      <ValueInput
        label={texts.whenHeld}
        value={value.whenHeld}
        readOnly={readOnly}
        isRequired={problem === 'value'}
        onChange={(whenHeld) => change({ whenHeld })}
      />
      <Checkbox
        label={texts.hasOtherwise}
        checked={value.otherwise !== undefined}
        disabled={readOnly}
        onChange={(event) => change({ otherwise: event.currentTarget.checked ? NO_VALUE : undefined })}
      />
      {value.otherwise && (
        <ValueInput
          label={texts.otherwise}
          value={value.otherwise}
          readOnly={readOnly}
          isRequired={problem === 'value'}
          onChange={(otherwise) => change({ otherwise })}
        />
      )}
    </Stack>
  )
}
