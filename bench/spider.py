"""The simplest Scrapy spider that saves every page of a host:
scrapy runspider spider.py -a start=URL -a folder=FOLDER"""

import os
import urllib.parse

from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class Pages(CrawlSpider):
    name = "pages"
    rules = [Rule(LinkExtractor(allow=r"^http://127\.0\.0\.1[:/]"),
                  callback="save", follow=True)]
    custom_settings = {
        "ROBOTSTXT_OBEY": False,
        "CONCURRENT_REQUESTS": 32,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 32,
        "LOG_LEVEL": "ERROR",
        "RETRY_ENABLED": False,
        "COOKIES_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, start, folder, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]
        self.folder = folder

    def parse_start_url(self, response, **kwargs):
        self.save(response)

    def save(self, response):
        path = urllib.parse.unquote(urllib.parse.urlsplit(response.url).path)
        file = os.path.join(self.folder, path.lstrip("/"))
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "wb") as out:
            out.write(response.body)
