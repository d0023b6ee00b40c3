// Python types of JSON schemas, for the records of client/python: a class for each object, `Literal` for fixed words, `Decimal` for every
// amount. Answers and messages share the classes of named schemas.

export type Schema = {
  readonly $ref?: string; readonly type?: string | readonly string[]; readonly const?: unknown; readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>; readonly required?: readonly string[]; readonly items?: Schema;
  readonly prefixItems?: readonly Schema[]; readonly minItems?: number; readonly maxItems?: number;
  readonly additionalProperties?: Schema | boolean; readonly anyOf?: readonly Schema[]; readonly oneOf?: readonly Schema[];
  readonly pattern?: string; readonly format?: string; readonly description?: string;
};
type Field = { readonly name: string; readonly type: string; readonly isRequired: boolean; readonly doc: string };
/** A class with its fields, or another name for a type. */
type Definition = { readonly name: string; readonly fields?: readonly Field[]; readonly alias?: string };

const DECIMAL = '^-?[0-9]+(\\.[0-9]+)?$';
/** Amounts that an answer repeats as they were sent. */
const SENT_AMOUNTS = new Set(['price', 'size']);
/** Descriptions that the type says already. */
const PLAIN_DOCS = new Set(['Plain decimal text.', 'Lower case.']);
const KEYWORDS = new Set(['and', 'as', 'class', 'def', 'from', 'global', 'if', 'in', 'is', 'not', 'or', 'pass', 'return', 'with']);
export const COLUMNS = 140;

/** The classes of one Python module; those of `base` are imported from another one. */
export class PythonTypes {
  readonly #schemas: Readonly<Record<string, Schema>>;
  readonly #base: PythonTypes | null;
  readonly #definitions: Definition[] = [];
  /** Names by what they stand for, so that equal objects share a class. */
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #imported = new Set<string>();

  constructor(schemas: Readonly<Record<string, Schema>>, base: PythonTypes | null = null) {
    this.#schemas = schemas;
    this.#base = base;
  }

  /** The Python type of a schema; `name` is for the class of an object. */
  typeOf(schema: Schema, name: string, field = ''): string {
    if (schema.$ref !== undefined) return this.#named(schema.$ref.split('/').at(-1)!);
    if ('const' in schema) return literal([schema.const]);
    if (schema.enum !== undefined) return literal(schema.enum);
    const forms = schema.anyOf ?? schema.oneOf;
    if (forms !== undefined) return this.#union(forms, name, field);
    if (Array.isArray(schema.type)) return this.#union(schema.type.map((type: string) => ({ ...schema, type })), name, field);
    switch (schema.type) {
      case 'string': return isAmount(schema, field) ? 'Decimal' : 'str';
      case 'number': return 'Decimal';
      case 'integer': return 'int';
      case 'boolean': return 'bool';
      case 'null': return 'None';
      case 'array': return this.#list(schema, name, field);
      case 'object': return this.#object(schema, name);
      default: return 'Any';
    }
  }

  /** The classes, each after those that it needs. */
  text(): string {
    return this.#definitions.map(({ name, fields, alias }) => (
      fields === undefined ? `${name} = ${alias!}\n` : classText(name, fields)
    )).join('\n\n');
  }

  has(name: string): boolean {
    return this.#taken.has(name);
  }

  get names(): readonly string[] {
    return this.#definitions.map(({ name }) => name);
  }

  get imported(): readonly string[] {
    return [...this.#imported].sort();
  }

  #named(name: string): string {
    if (this.#base?.has(name) === true) {
      this.#imported.add(name);
      return name;
    }
    const schema = this.#schemas[name];
    if (schema === undefined) throw new Error(`no schema is called ${name}`);
    if (this.#taken.has(name)) return name;
    const type = this.typeOf(schema, name);
    if (type !== name) this.#define({ name, alias: type });
    return name;
  }

  #union(forms: readonly Schema[], name: string, field: string): string {
    const tags = tagsOf(forms);
    const types = forms.map((form, at) => this.typeOf(form, `${name}${tags[at] ?? ''}`, field));
    return [...new Set(types)].sort((a, b) => Number(a === 'None') - Number(b === 'None')).join(' | ');
  }

  #list({ prefixItems, items, minItems, maxItems }: Schema, name: string, field: string): string {
    if (prefixItems !== undefined) return `tuple[${prefixItems.map((item) => this.typeOf(item, name)).join(', ')}]`;
    const type = this.typeOf(items ?? {}, singular(name), field);
    return minItems !== undefined && minItems === maxItems ? `tuple[${Array(minItems).fill(type).join(', ')}]` : `tuple[${type}, ...]`;
  }

  #object({ properties, required = [], additionalProperties: rest }: Schema, name: string): string {
    if (properties === undefined) return `dict[str, ${typeof rest === 'object' ? this.typeOf(rest, name) : 'Any'}]`;
    const key = JSON.stringify([properties, required]);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const stem = name.replace(/(?:(?:Api)?Response|Answer)$/, '');
    const fields = Object.entries(properties).map(([field, schema]) => {
      if (!/^[a-z_][a-z0-9_]*$/i.test(field) || KEYWORDS.has(field)) throw new Error(`${name}: ${field} is no name in Python`);
      const type = this.typeOf(schema, `${stem}${pascal(field)}`, field);
      return { name: field, type, isRequired: required.includes(field), doc: docOf(schema) };
    });
    this.#names.set(key, name);
    this.#define({ name, fields });
    return name;
  }

  #define(definition: Definition): void {
    const { name } = definition;
    if (this.#taken.has(name)) throw new Error(`two different records are called ${name}`);
    this.#taken.add(name);
    this.#definitions.push(definition);
  }
}

export function pascal(text: string): string {
  return text.split(/[^A-Za-z0-9]+/).filter(Boolean).map((word) => word[0]!.toUpperCase() + word.slice(1)).join('');
}

/** Wraps `#` comments of Python. */
export function comment(text: string, indent: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= COLUMNS) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`${indent}# ${word}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}

function classText(name: string, fields: readonly Field[]): string {
  const lines = fields.map(({ name: field, type, isRequired, doc }) => {
    const optional = isRequired ? '' : type.endsWith('None') || type === 'Any' ? ' = None' : ' | None = None';
    const line = `    ${field}: ${type}${optional}`;
    if (doc === '') return `${line}\n`;
    return line.length + 4 + doc.length <= COLUMNS ? `${line}  # ${doc}\n` : `${comment(doc, '    ')}${line}\n`;
  });
  return `@record\nclass ${name}:\n${lines.join('')}`;
}

/** What tells the forms of a union apart: the constant that differs, such as `update_type`. */
function tagsOf(forms: readonly Schema[]): readonly (string | undefined)[] {
  const constants = forms.map(({ properties = {} }) => (
    Object.values(properties).flatMap(({ const: value }) => (typeof value === 'string' ? [value] : []))
  ));
  return constants.map((own) => own.find((value) => constants.some((others) => others.length > 0 && !others.includes(value))));
}

function isAmount({ pattern, format }: Schema, field: string): boolean {
  return pattern === DECIMAL || format === 'decimal' || SENT_AMOUNTS.has(field);
}

function docOf({ description = '' }: Schema): string {
  return PLAIN_DOCS.has(description) ? '' : description;
}

function literal(values: readonly unknown[]): string {
  return `Literal[${values.map(python).join(', ')}]`;
}

/** A constant of JSON as Python writes it. */
export function python(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `(${value.map((one) => `${python(one)},`).join(' ')})`;
  return typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll('\'', '\\\'')}'` : String(value);
}

function singular(name: string): string {
  return name.endsWith('ies') ? `${name.slice(0, -3)}y` : name.replace(/([^s])s$/, '$1');
}
