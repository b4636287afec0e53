import { NativeSelect, type NativeSelectProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface ChoiceSelectProps<Value extends string>
  extends Omit<NativeSelectProps, 'value' | 'data' | 'onChange'> {
  value: Value
  /** The values, each with its label unless it is its own. */
  choices: readonly (Value | { value: Value; label: string })[]
  onChange: (value: Value) => void
}

/** A select of typed values. */
export function ChoiceSelect<Value extends string>(props: ChoiceSelectProps<Value>) {
  const { choices, onChange, ...rest } = props
  const values = choices.map((choice) => (typeof choice === 'string' ? choice : choice.value))
  return (
    <NativeSelect
      {...rest}
      data={[...choices]}
      onChange={(event) => {
        const chosen = values.find((value) => value === event.currentTarget.value)
        if (chosen !== undefined) onChange(chosen)
      }}
    />
  )
}

interface FilterSelectProps<Value extends string> extends Omit<ChoiceSelectProps<Value | ''>, 'choices'> {
  values: readonly Value[]
  /** Default: the values themselves. */
  toLabel?: (value: Value) => string
}

/** A select of typed values, or of all, which is the empty value. A value that is no choice any more stays one while it filters. */
export function FilterSelect<Value extends string>(props: FilterSelectProps<Value>) {
  const { values, toLabel = String, value, ...rest } = props
  const { t } = useTranslation()
  const offered = value === '' || values.includes(value) ? values : [...values, value]
  const choices = offered.map((each) => ({ value: each, label: toLabel(each) }))
  return (
    <ChoiceSelect {...rest} value={value} choices={[{ value: '', label: t('common.all') }, ...choices]} />
  )
}
