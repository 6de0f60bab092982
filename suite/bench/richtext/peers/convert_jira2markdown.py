# Converts FILE with jira2markdown and prints the seconds of CPU: python3 convert_jira2markdown.py FILE.
import sys
import time

from jira2markdown import convert

text = open(sys.argv[1], encoding="utf-8").read()
began = time.process_time()
convert(text)
print(time.process_time() - began)
