#include "lib/chat/chat_families.hpp"

#include <array>

namespace tbt {

namespace {

constexpr std::string_view chatml =
    R"({% for message in messages %}
<|im_start|>{{ message.role + '\n' + message.content }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% endif %})";

// The system message is put before the first user message.
constexpr std::string_view gemma =
    R"({{ bos_token }}
{%- set talk = namespace(turns=0, system='') %}
{% for message in messages %}
{% if loop.first and message.role == 'system' %}
{% set talk.system = message.content + '\n\n' %}
{% else %}
{% if (message.role == 'user') != (talk.turns % 2 == 0) %}
{{- raise_exception('user and assistant must take turns, the user first') }}
{% endif %}
<start_of_turn>{{ 'model' if message.role == 'assistant' else message.role }}
{{ (talk.system if talk.turns == 0 else '') + message.content | trim }}<end_of_turn>
{% set talk.turns = talk.turns + 1 %}
{% endif %}
{% endfor %}
{% if add_generation_prompt %}
<start_of_turn>model
{% endif %})";

constexpr std::string_view llama3 =
    R"({% for message in messages %}
{{ bos_token if loop.first }}<|start_header_id|>{{ message.role }}<|end_header_id|>

{{ message.content | trim }}<|eot_id|>
{%- endfor %}
{% if add_generation_prompt %}
<|start_header_id|>assistant<|end_header_id|>

{% endif %})";

constexpr std::string_view mistral =
    R"({{ bos_token }}
{%- set talk = namespace(turns=0, system='') %}
{% for message in messages %}
{% if loop.first and message.role == 'system' %}
{% set talk.system = message.content + '\n\n' %}
{% else %}
{% if (message.role == 'user') != (talk.turns % 2 == 0) %}
{{- raise_exception('user and assistant must take turns, the user first') }}
{% elif message.role == 'user' %}
 [INST] {{ talk.system if talk.turns == 0 }}{{ message.content }} [/INST]
{%- elif message.role == 'assistant' %}
{{ ' ' + message.content + eos_token }}
{%- else %}
{{- raise_exception('there is no place for the role ' + message.role) }}
{% endif %}
{% set talk.turns = talk.turns + 1 %}
{% endif %}
{% endfor %})";

// This format has no place for a system message.
constexpr std::string_view phi3 =
    R"({{ bos_token }}
{%- for message in messages %}
{% if message.role == 'user' %}
<|user|>
{{ message.content }}<|end|>
<|assistant|>
{% elif message.role == 'assistant' %}
{{ message.content }}<|end|>
{% endif %}
{% endfor %})";

constexpr std::string_view qwen2_5 =
    R"({% if messages[0].role != 'system' %}
<|im_start|>system
You are Qwen, created by Alibaba Cloud. You are a helpful assistant.<|im_end|>
{% endif %}
{% for message in messages %}
<|im_start|>{{ message.role + '\n' + message.content }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% endif %})";

// Thinking is kept only in answers after the last user message.
constexpr std::string_view qwen3 =
    R"({% set last = namespace(question=-1) %}
{% for message in messages if message.role == 'user' %}
{% set last.question = last.question + 1 %}
{% endfor %}
{% set asked = namespace(count=-1) %}
{% for message in messages %}
{% set content = message.content %}
{% if message.role == 'user' %}
{% set asked.count = asked.count + 1 %}
{% elif message.role == 'assistant' %}
{% set parts = content.split('</think>') %}
{% set thoughts = parts[0].split('<think>')[-1].strip('\n') if parts | length > 1 else '' %}
{% set content = parts[-1].lstrip('\n') if parts | length > 1 else content %}
{% if asked.count == last.question and (loop.last or thoughts) %}
{% set content = '<think>\n' + thoughts + '\n</think>\n\n' + content.lstrip('\n') %}
{% endif %}
{% endif %}
<|im_start|>{{ message.role + '\n' + content }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% if enable_thinking is defined and enable_thinking is false %}
<think>

</think>

{% endif %}
{% endif %})";

constexpr std::string_view smollm2 =
    R"({% if messages[0].role != 'system' %}
<|im_start|>system
You are a helpful AI assistant named SmolLM, trained by Hugging Face<|im_end|>
{% endif %}
{% for message in messages %}
<|im_start|>{{ message.role + '\n' + message.content }}<|im_end|>
{% endfor %}
{% if add_generation_prompt %}
<|im_start|>assistant
{% endif %})";

// The format of this course's model (chapter 10): lines of text without special tokens.
constexpr std::string_view storyteller =
    "{% for message in messages %}"
    "{{ ('Assistant: ' if message['role'] == 'assistant' else 'User: ') + message['content'] + "
    "'\\n' }}"
    "{% endfor %}"
    "{% if add_generation_prompt %}{{ 'Assistant:' }}{% endif %}";

constexpr std::string_view zephyr =
    R"({% for message in messages %}
{% if message.role in ['system', 'user', 'assistant'] %}
{{ '<|' + message.role + '|>\n' + message.content + eos_token }}
{% endif %}
{% if loop.last and add_generation_prompt %}
<|assistant|>
{% endif %}
{% endfor %})";

constexpr std::array<ChatFamily, 10> families = {{{"chatml", chatml},
                                                  {"gemma", gemma},
                                                  {"llama3", llama3},
                                                  {"mistral", mistral},
                                                  {"phi3", phi3},
                                                  {"qwen2.5", qwen2_5},
                                                  {"qwen3", qwen3},
                                                  {"smollm2", smollm2},
                                                  {"storyteller", storyteller},
                                                  {"zephyr", zephyr}}};

}  // namespace

std::span<const ChatFamily> chat_families() { return families; }

}  // namespace tbt
