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

/** A select of typed values, or of all, which is the empty value. */
export function FilterSelect<Value extends string>({ choices, ...props }: ChoiceSelectProps<Value | ''>) {
  const { t } = useTranslation()
  return <ChoiceSelect {...props} choices={[{ value: '', label: t('common.all') }, ...choices]} />
}
